package io.berth.webhook.binding;

import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingQueueSpec;
import io.berth.crds.binding.BindingField;
import io.berth.crds.binding.ConfigReference;
import io.berth.rules.label.NamespaceAccess;
import io.berth.webhook.error.Problem;
import io.berth.webhook.template.TemplateKind;
import io.fabric8.kubernetes.api.model.LabelSelector;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An immutable snapshot of everything that determines the result for a pod: configs, policies,
 * bindings, the labels of namespaces, and the operator's namespace.
 *
 * <p>Two catalogs with the same objects give the same results, regardless of the order in which the
 * objects arrived. Catalogs are built by {@link LiveCatalog}.
 */
public final class ConfigCatalog {

  /**
   * The label that every namespace has; assumed for namespaces that the catalog does not contain
   * yet.
   */
  private static final String NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name";

  private static final String KUBE_SYSTEM = "kube-system";

  private final String operatorNamespace;
  private final OwnerLookup owners;
  private final PolicyServing serving;
  private final Map<String, ServedConfig> nodeConfigs;
  private final Map<String, ServedConfig> podConfigs;
  private final Map<String, ServedPolicy> policies;
  private final Map<BindingKey, BoundBinding> bindings;
  private final Map<String, Map<String, String>> namespaceLabels;
  private final Map<String, List<PriorityQuota>> quotas;
  private final Map<String, SchedulingQueueSpec> queues;
  private final Map<String, String> guards = new TreeMap<>();

  /** True if a binding selects namespaces by label. */
  private final boolean bindingsReadLabels;

  /** True if an {@code allowedNamespaces} selects namespaces by label. */
  private final boolean rulesReadLabels;

  /** Created on first use of a namespace. */
  private final Map<String, NamespaceView> views = new ConcurrentHashMap<>();

  /** Creates a catalog of immutable maps. */
  ConfigCatalog(
      String operatorNamespace,
      OwnerLookup owners,
      PolicyServing serving,
      Map<String, ServedConfig> nodeConfigs,
      Map<String, ServedConfig> podConfigs,
      Map<String, ServedPolicy> policies,
      Map<BindingKey, BoundBinding> bindings,
      Map<String, Map<String, String>> namespaceLabels,
      Map<String, List<PriorityQuota>> quotas,
      Map<String, SchedulingQueueSpec> queues) {
    this.operatorNamespace = operatorNamespace;
    this.owners = owners;
    this.serving = serving;
    this.nodeConfigs = nodeConfigs;
    this.podConfigs = podConfigs;
    this.policies = policies;
    this.bindings = bindings;
    this.namespaceLabels = namespaceLabels;
    this.quotas = quotas;
    this.queues = queues;
    policies.values().stream()
        .sorted(Comparator.comparing(ServedPolicy::name))
        .forEach(
            policy ->
                policy.guardedClasses().forEach(name -> guards.putIfAbsent(name, policy.name())));
    this.bindingsReadLabels =
        bindings.values().stream().anyMatch(BoundBinding::readsNamespaceLabels);
    this.rulesReadLabels =
        Stream.of(
                nodeConfigs.values().stream().map(ServedConfig::allowedNamespaces),
                podConfigs.values().stream().map(ServedConfig::allowedNamespaces),
                policies.values().stream().map(ServedPolicy::allowedNamespaces),
                queues.values().stream().map(queue -> AccessReading.of(queue.namespaces())))
            .flatMap(Function.identity())
            .anyMatch(NamespaceAccess::readsLabels);
  }

  /** Returns a catalog with this config in place of the one with its kind and name. */
  ConfigCatalog with(ServedConfig config) {
    Map<String, ServedConfig> changed = new HashMap<>(configs(config.kind()));
    changed.put(config.name(), config);
    boolean node = config.kind() == TemplateKind.NODE;
    return with(node ? changed : nodeConfigs, node ? podConfigs : changed, bindings);
  }

  /** Returns a catalog with this binding in place of the one with its key. */
  ConfigCatalog with(BoundBinding binding) {
    Map<BindingKey, BoundBinding> changed = new HashMap<>(bindings);
    changed.put(binding.key(), binding);
    return with(nodeConfigs, podConfigs, changed);
  }

  /** Returns the same catalog that learns the owners of pods otherwise. */
  public ConfigCatalog withOwners(OwnerLookup others) {
    return with(others, nodeConfigs, podConfigs, bindings);
  }

  private ConfigCatalog with(
      Map<String, ServedConfig> otherNodeConfigs,
      Map<String, ServedConfig> otherPodConfigs,
      Map<BindingKey, BoundBinding> otherBindings) {
    return with(owners, otherNodeConfigs, otherPodConfigs, otherBindings);
  }

  private ConfigCatalog with(
      OwnerLookup otherOwners,
      Map<String, ServedConfig> otherNodeConfigs,
      Map<String, ServedConfig> otherPodConfigs,
      Map<BindingKey, BoundBinding> otherBindings) {
    return new ConfigCatalog(
        operatorNamespace,
        otherOwners,
        serving,
        Map.copyOf(otherNodeConfigs),
        Map.copyOf(otherPodConfigs),
        policies,
        Map.copyOf(otherBindings),
        namespaceLabels,
        quotas,
        queues);
  }

  /** Returns the namespace whose bindings may select other namespaces. */
  public String operatorNamespace() {
    return operatorNamespace;
  }

  /** Returns whether the webhook is asked about pods of a namespace; see deploy/manifests. */
  public boolean rendersIn(String namespace) {
    return !namespace.equals(KUBE_SYSTEM) && !namespace.equals(operatorNamespace);
  }

  /** Returns the config with this name, even if its templates are invalid. */
  public Optional<ServedConfig> config(TemplateKind kind, String name) {
    return Optional.ofNullable(configs(kind).get(name));
  }

  /** Returns the names of all configs of a kind. */
  public Set<String> configNames(TemplateKind kind) {
    return configs(kind).keySet();
  }

  /** Returns the policy with this name. */
  public Optional<ServedPolicy> policy(String name) {
    return Optional.ofNullable(policies.get(name));
  }

  /** Returns whether pods can belong to a queue: it exists, and has no parts. */
  public boolean isLeafQueue(String name) {
    return queues.containsKey(name)
        && queues.values().stream().noneMatch(queue -> name.equals(queue.parent()));
  }

  /** Returns whether pods of a namespace can belong to a queue. */
  public boolean admits(String queue, String namespace) {
    return isLeafQueue(queue)
        && allows(AccessReading.of(queues.get(queue).namespaces()), namespace);
  }

  /** Returns all SchedulingQueues by name. */
  public Map<String, SchedulingQueueSpec> queues() {
    return queues;
  }

  /** Returns the names of all policies. */
  public Set<String> policyNames() {
    return policies.keySet();
  }

  /** Returns the keys of all bindings. */
  public Set<BindingKey> bindingKeys() {
    return bindings.keySet();
  }

  /**
   * Returns the default policy. If several usable policies are marked as default, the oldest is
   * chosen, and among equally old ones the first by name.
   */
  public Optional<ServedPolicy> defaultPolicy() {
    return firstDefault(policies.values().stream());
  }

  /** Returns what the default policy would be if this one took the place of that with its name. */
  public Optional<ServedPolicy> defaultPolicyWith(ServedPolicy changed) {
    return firstDefault(
        Stream.concat(
            policies.values().stream().filter(policy -> !policy.name().equals(changed.name())),
            Stream.of(changed)));
  }

  private Optional<ServedPolicy> firstDefault(Stream<ServedPolicy> candidates) {
    return candidates
        .filter(policy -> policy.isDefault() && obstacle(policy).isEmpty())
        .min(Comparator.comparing(ServedPolicy::created).thenComparing(ServedPolicy::name));
  }

  /** Returns the catalog entry of a policy that the catalog does not contain yet. */
  public ServedPolicy served(SchedulingPolicy policy) {
    return CatalogEntries.of(policy, serving);
  }

  /**
   * Returns the problem that makes a policy unusable: its current revision is invalid, and no
   * earlier revision is used instead.
   */
  public Optional<Problem> obstacle(ServedPolicy policy) {
    return policy.flaw().filter(flaw -> !serving.hasLastGood(policy.uid()));
  }

  /**
   * Returns the name of the SchedulingPolicy whose quota guard restricts the PriorityClass to
   * namespaces with a quota; the first by name if there are several.
   */
  public Optional<String> guardOf(String priorityClass) {
    return Optional.ofNullable(guards.get(priorityClass));
  }

  /** Returns whether a quota of the namespace counts pods of the PriorityClass. */
  public boolean hasQuotaFor(String namespace, String priorityClass) {
    return quotas.getOrDefault(namespace, List.of()).stream()
        .anyMatch(quota -> quota.covers(priorityClass));
  }

  /** Returns the names of the namespaces that the catalog contains. */
  public Set<String> namespaces() {
    return namespaceLabels.keySet();
  }

  /** Returns the names of the namespaces whose labels a selector matches. */
  public Set<String> namespacesMatching(LabelSelector selector) {
    Selector compiled = Selector.of(selector);
    return namespaceLabels.entrySet().stream()
        .filter(namespace -> compiled.matches(namespace.getValue()))
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  /** Returns whether a rule lets a namespace use an object. */
  public boolean allows(NamespaceAccess rule, String namespace) {
    return rule.allows(namespace, namespaceLabels(namespace));
  }

  /**
   * Returns the labels of a namespace; for an unknown namespace, only the label that every
   * namespace has.
   */
  public Map<String, String> namespaceLabels(String namespace) {
    Map<String, String> labels = namespaceLabels.get(namespace);
    return labels == null ? Map.of(NAMESPACE_NAME_LABEL, namespace) : labels;
  }

  /**
   * Returns the root owner of a pod; for a pod without a controller, the kind Pod and the pod's
   * base name.
   */
  public Owner root(PodSubject pod) {
    return pod.controller()
        .map(controller -> owners.root(pod.namespace(), controller, pod.labels()))
        .orElse(new Owner("Pod", pod.baseName()));
  }

  /**
   * Returns the workload with which a pod is rolled out: its group, or else its root owner. The
   * pods of a workload are rendered by one revision of a config.
   */
  public Owner workload(PodSubject pod) {
    return GroupName.of(pod).map(name -> new Owner("Group", name)).orElseGet(() -> root(pod));
  }

  /**
   * Looks up the root owner of a pod if a binding requires it because its rollout includes only a
   * share of the owners, or if a config may, whose change is rolled out. The look-up has a timeout.
   *
   * @return the reason why the root owner may be wrong; empty if it is known or not required
   */
  public Optional<String> learnRoot(PodSubject pod) {
    if (pod.isOfDaemonSet()
        || pod.controller().isEmpty()
        || !(mayUseRolledConfig(pod)
            || view(pod.namespace()).matching(pod.labels()).stream()
                .anyMatch(BoundBinding::isPartial))) {
      return Optional.empty();
    }
    return owners.learn(pod.namespace(), pod.controller().get());
  }

  private boolean mayUseRolledConfig(PodSubject pod) {
    Set<BindingField> rolled = EnumSet.noneOf(BindingField.class);
    if (nodeConfigs.values().stream().anyMatch(config -> config.newer().isPresent())) {
      rolled.add(BindingField.NODE_CONFIGS);
    }
    if (podConfigs.values().stream().anyMatch(config -> config.newer().isPresent())) {
      rolled.add(BindingField.POD_CONFIGS);
    }
    return !rolled.isEmpty() && precedence(pod).fieldsInPlay().stream().anyMatch(rolled::contains);
  }

  /** Returns the workload of a pod, which a binding can turn into a group. */
  public Optional<OwnerSize> ownerSize(PodSubject pod) {
    return owners.size(pod);
  }

  /**
   * Looks up the size of a pod's workload if a binding turns it into a group. The look-up has a
   * timeout.
   *
   * @return the reason why the size is not known; empty if it is known or not required
   */
  public Optional<String> learnOwnerSize(PodSubject pod) {
    boolean asked =
        !pod.isOfDaemonSet()
            && view(pod.namespace()).matching(pod.labels()).stream()
                .anyMatch(binding -> binding.sets(BindingField.GROUP));
    return asked ? owners.learnSize(pod) : Optional.empty();
  }

  /**
   * Resolves the choices for a pod as if every binding could be applied. The result is the same on
   * every replica whose catalog contains the same objects.
   */
  public Resolution resolve(PodSubject pod) {
    return resolve(pod, false, Set.of());
  }

  /**
   * Resolves the choices for a pod.
   *
   * @param withDryRun whether DryRun bindings compete as if they were enforced
   * @param broken the bindings that cannot be applied to the pod
   */
  public Resolution resolve(PodSubject pod, boolean withDryRun, Set<BindingKey> broken) {
    return precedence(pod).resolve(key -> withDryRun, binding -> broken.contains(binding.key()));
  }

  /**
   * Resolves the choices for a pod without the bindings that cannot be applied in its namespace,
   * according to this catalog.
   */
  public Resolution resolveApplicable(PodSubject pod) {
    return precedence(pod).resolve(key -> false, broken(pod.namespace()));
  }

  /** Returns the choices that a binding would make if it won every field that it sets. */
  public List<Choice> offers(BindingKey key) {
    return binding(key)
        .map(
            binding ->
                Stream.of(BindingField.values())
                    .filter(binding::sets)
                    .map(field -> FieldPrecedence.choice(field, binding))
                    .toList())
        .orElse(List.of());
  }

  /**
   * Returns a test that selects the bindings that cannot be applied in a namespace. It remembers
   * its answers.
   */
  Predicate<BoundBinding> broken(String namespace) {
    BindingReferences references = new BindingReferences(this, namespace);
    Map<BindingKey, Boolean> known = new HashMap<>();
    return binding -> known.computeIfAbsent(binding.key(), key -> !references.allHold(binding));
  }

  /**
   * Returns the parts of the catalog that can affect a pod, given their current content: a change
   * in any other part does not change the result.
   */
  public Set<CatalogPart> deciding(PodSubject pod) {
    Set<CatalogPart> parts = EnumSet.noneOf(CatalogPart.class);
    if (!pod.isOfDaemonSet()) {
      parts.add(CatalogPart.BINDINGS);
    }
    precedence(pod)
        .fieldsInPlay()
        .forEach(
            field ->
                parts.add(
                    switch (field) {
                      case NODE_CONFIGS -> CatalogPart.NODE_CONFIGS;
                      case POD_CONFIGS -> CatalogPart.POD_CONFIGS;
                      case SCHEDULING_POLICY -> CatalogPart.POLICIES;
                      case GROUP -> CatalogPart.BINDINGS;
                      case QUEUE -> CatalogPart.QUEUES;
                    }));
    boolean usesSomething = !Set.of(CatalogPart.BINDINGS).containsAll(parts);
    if ((bindingsReadLabels && !pod.isOfDaemonSet()) || (rulesReadLabels && usesSomething)) {
      parts.add(CatalogPart.NAMESPACE);
    }
    return parts;
  }

  /** Returns all references from bindings to a config. */
  public List<BindingReference> references(TemplateKind kind, String name) {
    List<BindingReference> references = new ArrayList<>();
    BindingField field =
        kind == TemplateKind.NODE ? BindingField.NODE_CONFIGS : BindingField.POD_CONFIGS;
    for (BoundBinding binding : bindings.values()) {
      List<ConfigReference> configs = binding.configs(field);
      for (int i = 0; i < configs.size(); i++) {
        if (configs.get(i).name().equals(name)) {
          references.add(new BindingReference(binding.key(), field, i, configs.get(i)));
        }
      }
    }
    references.sort(Comparator.comparing(reference -> reference.binding().toString()));
    return references;
  }

  /** Returns the decisions about pods that their authors cannot change. */
  public HeldDecisions held() {
    return new HeldDecisions(this);
  }

  /** Returns a binding in the form in which it is matched. */
  Optional<BoundBinding> binding(BindingKey key) {
    return Optional.ofNullable(bindings.get(key));
  }

  /** Returns the bindings that select a pod, for comparison with each other. */
  FieldPrecedence precedence(PodSubject pod) {
    if (pod.isOfDaemonSet()) {
      return new FieldPrecedence(pod, List.of(), List.of());
    }
    List<BoundBinding> reaching = new ArrayList<>();
    List<BindingKey> outside = new ArrayList<>();
    @Nullable Owner root = null;
    for (BoundBinding binding : view(pod.namespace()).matching(pod.labels())) {
      if (root == null && binding.isPartial()) {
        root = root(pod); // only if required, because it may need a look-up
      }
      if (root == null || binding.reachesOwner(pod.namespace(), root)) {
        reaching.add(binding);
      } else {
        outside.add(binding.key());
      }
    }
    return new FieldPrecedence(pod, reaching, outside);
  }

  /**
   * Groups pods that all bindings treat alike, and counts each group. The key of a group is a pod
   * with only the properties that bindings use. The cost of a report depends on the number of
   * groups, which is close to the number of workloads, not on the number of pods.
   */
  public Map<PodSubject, Integer> alike(Iterable<PodSubject> pods) {
    Map<PodSubject, Integer> counts = new LinkedHashMap<>();
    for (PodSubject pod : pods) {
      counts.merge(essence(pod), 1, Integer::sum);
    }
    return counts;
  }

  /** Returns a copy of the pod with only the properties that affect its resolution. */
  PodSubject essence(PodSubject pod) {
    return view(pod.namespace()).essence(pod);
  }

  private NamespaceView view(String namespace) {
    return views.computeIfAbsent(
        namespace,
        name -> {
          Map<String, String> labels = namespaceLabels(name);
          return new NamespaceView(
              bindings.values().stream()
                  .filter(binding -> binding.reachesNamespace(name, labels))
                  .toList());
        });
  }

  private Map<String, ServedConfig> configs(TemplateKind kind) {
    return kind == TemplateKind.NODE ? nodeConfigs : podConfigs;
  }
}

package io.berth.webhook.binding;

import io.berth.crds.SchedulingPolicy;
import io.berth.crds.binding.BindingField;
import io.berth.crds.binding.ConfigReference;
import io.berth.webhook.error.Problem;
import io.berth.webhook.template.TemplateKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of everything that determines the result for a pod: configs, policies, bindings, the
 * labels of namespaces, and the operator's namespace.
 *
 * <p>It never changes, and two catalogs of the same objects give the same answers, whatever the
 * order in which the objects came. {@link LiveCatalog} makes them.
 */
public final class ConfigCatalog {

  /** The label that every namespace has, for namespaces that the catalog does not contain yet. */
  private static final String NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name";

  private final String operatorNamespace;
  private final OwnerLookup owners;
  private final PolicyServing serving;
  private final Map<String, ServedConfig> nodeConfigs;
  private final Map<String, ServedConfig> podConfigs;
  private final Map<String, ServedPolicy> policies;
  private final Map<BindingKey, BoundBinding> bindings;
  private final Map<String, Map<String, String>> namespaceLabels;
  private final Map<String, List<PriorityQuota>> quotas;
  private final Map<String, String> guards = new TreeMap<>();

  /**
   * Returns whether the labels of namespaces affect the selection of bindings, or the use of
   * objects.
   */
  private final boolean bindingsReadLabels;

  private final boolean rulesReadLabels;

  /** Made when a namespace is first asked for; what is computed twice is the same. */
  private final Map<String, NamespaceView> views = new ConcurrentHashMap<>();

  /** All maps are immutable. */
  ConfigCatalog(
      String operatorNamespace,
      OwnerLookup owners,
      PolicyServing serving,
      Map<String, ServedConfig> nodeConfigs,
      Map<String, ServedConfig> podConfigs,
      Map<String, ServedPolicy> policies,
      Map<BindingKey, BoundBinding> bindings,
      Map<String, Map<String, String>> namespaceLabels,
      Map<String, List<PriorityQuota>> quotas) {
    this.operatorNamespace = operatorNamespace;
    this.owners = owners;
    this.serving = serving;
    this.nodeConfigs = nodeConfigs;
    this.podConfigs = podConfigs;
    this.policies = policies;
    this.bindings = bindings;
    this.namespaceLabels = namespaceLabels;
    this.quotas = quotas;
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
                policies.values().stream().map(ServedPolicy::allowedNamespaces))
            .flatMap(Function.identity())
            .anyMatch(NamespaceRule::readsLabels);
  }

  /** The namespace whose bindings may reach others. */
  public String operatorNamespace() {
    return operatorNamespace;
  }

  /** Returns the config with this name, valid or not. */
  public Optional<ServedConfig> config(TemplateKind kind, String name) {
    return Optional.ofNullable(configs(kind).get(name));
  }

  /** The names of all configs of a kind. */
  public Set<String> configNames(TemplateKind kind) {
    return configs(kind).keySet();
  }

  /** Returns the policy with this name. */
  public Optional<ServedPolicy> policy(String name) {
    return Optional.ofNullable(policies.get(name));
  }

  /** The names of all policies. */
  public Set<String> policyNames() {
    return policies.keySet();
  }

  /** The names of all bindings. */
  public Set<BindingKey> bindingKeys() {
    return bindings.keySet();
  }

  /**
   * Of the policies marked default that can be served the older, then the one whose name comes
   * first.
   */
  public Optional<ServedPolicy> defaultPolicy() {
    return policies.values().stream()
        .filter(policy -> policy.isDefault() && obstacle(policy).isEmpty())
        .min(Comparator.comparing(ServedPolicy::created).thenComparing(ServedPolicy::name));
  }

  /** A policy that the catalog does not hold yet, as it would hold it. */
  public ServedPolicy served(SchedulingPolicy policy) {
    return Catalogued.of(policy, serving);
  }

  /**
   * Returns what keeps a policy from serving at all: its text is wrong, and no earlier revision
   * serves in its place.
   */
  public Optional<Problem> obstacle(ServedPolicy policy) {
    return policy.flaw().filter(flaw -> !serving.hasLastGood(policy.uid()));
  }

  /**
   * The SchedulingPolicy that lets only namespaces with a quota use the PriorityClass; of several
   * the one whose name comes first.
   */
  public Optional<String> guardOf(String priorityClass) {
    return Optional.ofNullable(guards.get(priorityClass));
  }

  /** Returns whether a quota of the namespace counts pods of the PriorityClass. */
  public boolean hasQuotaFor(String namespace, String priorityClass) {
    return quotas.getOrDefault(namespace, List.of()).stream()
        .anyMatch(quota -> quota.covers(priorityClass));
  }

  /**
   * Returns the labels of a namespace; for one that is not known yet, the label that every
   * namespace has.
   */
  public Map<String, String> namespaceLabels(String namespace) {
    Map<String, String> labels = namespaceLabels.get(namespace);
    return labels == null ? Map.of(NAMESPACE_NAME_LABEL, namespace) : labels;
  }

  /** The owner at the root of a pod; for a bare pod, the kind Pod and the pod's base name. */
  public Owner root(PodSubject pod) {
    return pod.controller()
        .map(controller -> owners.root(pod.namespace(), controller, pod.labels()))
        .orElse(new Owner("Pod", pod.baseName()));
  }

  /**
   * Looks up the root owner of a pod if a binding requires it because its rollout includes only a
   * share of the owners. Takes a bounded time.
   *
   * @return the reason why the root owner may be wrong; empty if it is known or not required
   */
  public Optional<String> learnRoot(PodSubject pod) {
    if (pod.isOfDaemonSet()
        || pod.controller().isEmpty()
        || view(pod.namespace()).matching(pod.labels()).stream()
            .noneMatch(BoundBinding::isPartial)) {
      return Optional.empty();
    }
    return owners.learn(pod.namespace(), pod.controller().get());
  }

  /** The workload of a pod, as the group that a binding makes of it. */
  public Optional<OwnerSize> ownerSize(PodSubject pod) {
    return owners.size(pod);
  }

  /**
   * Looks up the size of a pod's workload where a binding makes it a group; takes a bounded time.
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
   * Resolves the choices for a pod. The answer is the same on every replica that knows the same
   * objects.
   */
  public Resolution resolve(PodSubject pod) {
    return resolve(pod, key -> false);
  }

  /** As {@link #resolve}, as it would be if all DryRun bindings were enforced. */
  public Resolution resolveWithDryRun(PodSubject pod) {
    return resolve(pod, key -> true);
  }

  /**
   * The parts that decide about a pod, as the others are now: whatever the remaining parts hold,
   * the pod is given the same.
   */
  public Set<CatalogPart> deciding(PodSubject pod) {
    Set<CatalogPart> parts = EnumSet.noneOf(CatalogPart.class);
    if (!pod.isOfDaemonSet()) {
      parts.add(CatalogPart.BINDINGS);
    }
    Contest contest = contest(pod);
    Stream.of(contest.resolve(key -> false), contest.resolve(key -> true))
        .flatMap(resolution -> resolution.choices().stream())
        .forEach(
            choice ->
                parts.add(
                    switch (choice.field()) {
                      case NODE_CONFIGS -> CatalogPart.NODE_CONFIGS;
                      case POD_CONFIGS -> CatalogPart.POD_CONFIGS;
                      case SCHEDULING_POLICY -> CatalogPart.POLICIES;
                      case GROUP -> CatalogPart.BINDINGS;
                    }));
    boolean usesSomething = !Set.of(CatalogPart.BINDINGS).containsAll(parts);
    if ((bindingsReadLabels && !pod.isOfDaemonSet()) || (rulesReadLabels && usesSomething)) {
      parts.add(CatalogPart.NAMESPACE);
    }
    return parts;
  }

  /** Returns the places where bindings name a config. */
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

  private Resolution resolve(PodSubject pod, Predicate<BindingKey> enforced) {
    return contest(pod).resolve(enforced);
  }

  /**
   * The policy that a binding with {@code podOverrides: Deny} decides for a pod as it is now,
   * whatever the pod's annotations say. A binding that decided it when the pod was admitted holds
   * on to the pod though its labels were changed since. A binding whose policy does not exist, can
   * never be served, or may not be used here, holds nothing: it contributes nothing to new pods
   * either.
   *
   * @param admittedBy the binding that decided it then, by the pod's own word: it is checked
   */
  public Optional<HeldPolicy> heldPolicy(PodSubject pod, Optional<BindingKey> admittedBy) {
    Map<String, String> labels = namespaceLabels(pod.namespace());
    return holding(BindingField.SCHEDULING_POLICY, pod, admittedBy)
        .map(
            binding ->
                new HeldPolicy(
                    binding.key(), Optional.ofNullable(binding.spec().schedulingPolicy())))
        .filter(
            held ->
                held.policy()
                    .map(
                        name ->
                            policy(name)
                                .filter(
                                    policy ->
                                        obstacle(policy).isEmpty()
                                            && policy
                                                .allowedNamespaces()
                                                .allows(pod.namespace(), labels))
                                .isPresent())
                    .orElse(true));
  }

  /**
   * Returns the binding with {@code podOverrides: Deny} that decides the group of a pod as it is
   * now, or decided it when the pod was admitted.
   *
   * @param admittedBy the binding that decided it then, by the pod's own word: it is checked
   */
  public Optional<BindingKey> heldGroup(PodSubject pod, Optional<BindingKey> admittedBy) {
    return holding(BindingField.GROUP, pod, admittedBy).map(BoundBinding::key);
  }

  /** Returns whether what the source decided is held until the pod is placed. */
  public boolean isHeld(Source source) {
    return source instanceof Source.OfBinding binding
        && Optional.ofNullable(bindings.get(binding.key()))
            .filter(BoundBinding::deniesOverrides)
            .isPresent();
  }

  private Optional<BoundBinding> holding(
      BindingField field, PodSubject pod, Optional<BindingKey> admittedBy) {
    Map<String, String> labels = namespaceLabels(pod.namespace());
    Optional<BoundBinding> now =
        resolve(pod)
            .choice(field)
            .filter(choice -> choice.source() instanceof Source.OfBinding)
            .map(choice -> bindings.get(((Source.OfBinding) choice.source()).key()));
    return now.filter(BoundBinding::deniesOverrides)
        .or(
            () ->
                admittedBy
                    .map(bindings::get)
                    .filter(binding -> binding.deniesOverrides() && !binding.isDryRun())
                    .filter(binding -> binding.sets(field))
                    .filter(binding -> binding.reachesNamespace(pod.namespace(), labels)));
  }

  /** Returns the bindings that select a pod, for comparison with each other. */
  Contest contest(PodSubject pod) {
    if (pod.isOfDaemonSet()) {
      return new Contest(pod, List.of(), List.of());
    }
    List<BoundBinding> reaching = new ArrayList<>();
    List<BindingKey> outside = new ArrayList<>();
    @Nullable Owner root = null;
    for (BoundBinding binding : view(pod.namespace()).matching(pod.labels())) {
      if (root == null && binding.isPartial()) {
        root = root(pod); // asked for only where it matters, for it may cost a look-up
      }
      if (root == null || binding.reachesOwner(pod.namespace(), root)) {
        reaching.add(binding);
      } else {
        outside.add(binding.key());
      }
    }
    return new Contest(pod, reaching, outside);
  }

  /**
   * Pods that all bindings treat alike, counted together under one of them: it keeps only what
   * bindings look at. Thousands of pods of few workloads cost as much as one of each.
   */
  public Map<PodSubject, Integer> alike(Iterable<PodSubject> pods) {
    Map<PodSubject, Integer> counts = new LinkedHashMap<>();
    for (PodSubject pod : pods) {
      counts.merge(view(pod.namespace()).essence(pod), 1, Integer::sum);
    }
    return counts;
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

package io.berth.webhook.validation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulerConfigBindingSpec;
import io.berth.crds.SchedulerNames;
import io.berth.crds.binding.ConfigReference;
import io.berth.crds.binding.Enforcement;
import io.berth.crds.binding.GroupRule;
import io.berth.crds.binding.Repair;
import io.berth.crds.schema.DurationText;
import io.berth.crds.schema.NearestName;
import io.berth.rules.LabelSyntax;
import io.berth.rules.label.NamespaceAccess;
import io.berth.webhook.argument.Arguments;
import io.berth.webhook.argument.GivenArguments;
import io.berth.webhook.argument.RefusedArguments;
import io.berth.webhook.binding.BindingReference;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.ServedConfig;
import io.berth.webhook.binding.ServedPolicy;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import io.berth.webhook.template.CompiledTemplate;
import io.berth.webhook.template.InvalidTemplate;
import io.berth.webhook.template.PodFacts;
import io.berth.webhook.template.RenderingRefused;
import io.berth.webhook.template.TemplateKind;
import io.fabric8.kubernetes.api.model.LabelSelector;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Validates one binding. */
final class BindingRules {
  private final String namespace;
  private final ConfigCatalog catalog;
  private final List<Problem> problems = new ArrayList<>();
  private final List<Problem> warnings = new ArrayList<>();
  private Map<String, String> podLabels = Map.of();

  BindingRules(String namespace, ConfigCatalog catalog) {
    this.namespace = namespace;
    this.catalog = catalog;
  }

  ValidationResult check(SchedulerConfigBindingSpec spec) {
    podLabels = spec.podSelector() == null ? Map.of() : labels(spec.podSelector());
    SelectorRules selectors = new SelectorRules(ErrorCode.BINDING_INVALID, problems);
    selectors.check("spec.podSelector", spec.podSelector());
    selectors.check("spec.namespaceSelector", spec.namespaceSelector());
    checkReach(spec);
    if (spec.nodeConfigs().isEmpty()
        && spec.podConfigs().isEmpty()
        && spec.schedulingPolicy() == null
        && spec.group() == null
        && spec.queue() == null) {
      refuse(
          ErrorCode.BINDING_WITHOUT_EFFECT,
          "spec",
          "assigns nothing: set at least one of nodeConfigs, podConfigs, schedulingPolicy, group,"
              + " and queue");
    }
    if (spec.rolloutPercent() == 0) {
      warn(
          ErrorCode.BINDING_IDLE,
          "spec.rollout.percent",
          "is 0, so this binding applies to no pod: raise it to start the rollout");
    }
    Optional.ofNullable(spec.group()).ifPresent(rule -> checkGroup(rule, spec));
    if (spec.rolloutPercent() < 0 || spec.rolloutPercent() > 100) {
      refuse(
          ErrorCode.BINDING_INVALID,
          "spec.rollout.percent",
          "must be from 0 to 100, not " + spec.rolloutPercent());
    }
    if (spec.enforcement() == Enforcement.DRY_RUN && spec.repair() == Repair.RECREATE) {
      refuse(
          ErrorCode.BINDING_INVALID,
          "spec.repair",
          "cannot be Recreate if enforcement is DryRun: set repair to None, or enforcement to"
              + " Enforce");
    }
    checkScheduler(spec);
    checkConfigs(TemplateKind.NODE, "spec.nodeConfigs", spec.nodeConfigs());
    checkConfigs(TemplateKind.POD, "spec.podConfigs", spec.podConfigs());
    String policy = spec.schedulingPolicy();
    if (policy != null) {
      policy(policy)
          .ifPresentOrElse(
              this::checkPolicy,
              () ->
                  warnUnknown(
                      "spec.schedulingPolicy",
                      "SchedulingPolicy",
                      policy,
                      catalog.policyNames().stream()
                          .filter(name -> policy(name).isPresent())
                          .toList()));
    }
    String queue = spec.queue();
    if (queue != null && !isUsable(queue)) {
      warnUnknown(
          "spec.queue",
          "SchedulingQueue without parts",
          queue,
          catalog.queues().keySet().stream().filter(this::isUsable).toList());
    }
    return new ValidationResult(problems, warnings);
  }

  /** Returns whether pods that the binding selects can belong to a queue, as far as is known. */
  private boolean isUsable(String queue) {
    return isOfOperator() ? catalog.isLeafQueue(queue) : catalog.admits(queue, namespace);
  }

  /** Returns a problem for each binding whose arguments a changed template no longer accepts. */
  static List<Problem> brokenBy(
      CompiledTemplate template, TemplateKind kind, String name, ConfigCatalog catalog) {
    List<Problem> broken = new ArrayList<>();
    for (BindingReference reference : catalog.references(kind, name)) {
      if (template.parameters().check(given(kind, reference.place(), reference.reference()))
          instanceof RefusedArguments refused) {
        Problem first = refused.problems().getFirst();
        broken.add(
            new Problem(
                first.code(),
                "SchedulerConfigBinding " + reference.binding() + ", " + first.path(),
                "the arguments of this binding would no longer be valid: " + first.message()));
      }
    }
    return broken;
  }

  private static Map<String, String> labels(LabelSelector selector) {
    return Objects.requireNonNullElse(selector.getMatchLabels(), Map.of());
  }

  private void checkGroup(GroupRule rule, SchedulerConfigBindingSpec spec) {
    if (!rule.min().matches(GroupRule.MIN)) {
      refuse(
          ErrorCode.BINDING_INVALID,
          "spec.group.min",
          "is "
              + Quoted.name(rule.min())
              + ": use a percentage from 1% to 100%, or a number of pods such as \"4\"");
    }
    String timeout = rule.timeout();
    if (timeout != null && DurationText.read(timeout).isEmpty()) {
      refuse(
          ErrorCode.BINDING_INVALID,
          "spec.group.timeout",
          "is " + Quoted.name(timeout) + ": use a duration such as 10m");
    }
    if (rule.topology() != null && !LabelSyntax.ofLabelName(rule.topology().key()).isEmpty()) {
      refuse(
          ErrorCode.BINDING_INVALID,
          "spec.group.topology.key",
          "is "
              + Quoted.name(rule.topology().key())
              + ": use the key of a node label such as topology.kubernetes.io/rack");
    }
    if (spec.schedulingPolicy() == null && spec.schedulerName() == null) {
      warn(
          ErrorCode.BINDING_FIELD_WITHOUT_EFFECT,
          "spec.group",
          "has an effect only on pods that Berth places: set schedulingPolicy here or in another"
              + " binding");
    }
  }

  private void checkReach(SchedulerConfigBindingSpec spec) {
    boolean ofOperator = namespace.equals(catalog.operatorNamespace());
    if (!ofOperator && spec.namespaceSelector() != null) {
      refuse(
          ErrorCode.BINDING_REACH,
          "spec.namespaceSelector",
          "only a binding in the operator's namespace, "
              + catalog.operatorNamespace()
              + ", can select other namespaces: remove it, or create the binding there");
    }
    if (ofOperator && spec.namespaceSelector() == null) {
      warn(
          ErrorCode.BINDING_WITHOUT_EFFECT,
          "spec.namespaceSelector",
          "is not set, so this binding applies only to the operator's own namespace, where Berth"
              + " does not change pods; {} selects all namespaces");
    }
    if (ofOperator && spec.namespaceSelector() != null && problems.isEmpty()) {
      checkSelected(spec.namespaceSelector());
    }
    if (!ofOperator && !catalog.rendersIn(namespace)) {
      warn(
          ErrorCode.BINDING_WITHOUT_EFFECT,
          "metadata.namespace",
          "is "
              + namespace
              + ", where Berth does not change pods: create the binding in the namespace of the"
              + " pods");
    }
  }

  /** Warns if the selector matches no namespace in which Berth changes pods. */
  private void checkSelected(LabelSelector selector) {
    Set<String> changed =
        catalog.namespaces().stream().filter(catalog::rendersIn).collect(Collectors.toSet());
    if (!changed.isEmpty()
        && catalog.namespacesMatching(selector).stream().noneMatch(changed::contains)) {
      warn(
          ErrorCode.BINDING_IDLE,
          "spec.namespaceSelector",
          "matches no namespace in which Berth changes pods, so this binding applies to no pod:"
              + " correct it, or set the labels of the namespaces");
    }
  }

  private void checkScheduler(SchedulerConfigBindingSpec spec) {
    if (SchedulerNames.KUBERNETES_DEFAULT.equals(spec.schedulerName())
        && spec.schedulingPolicy() != null) {
      boolean nothingElse = spec.nodeConfigs().isEmpty() && spec.podConfigs().isEmpty();
      warn(
          nothingElse ? ErrorCode.BINDING_WITHOUT_EFFECT : ErrorCode.BINDING_FIELD_WITHOUT_EFFECT,
          "spec.schedulerName",
          "the default scheduler does not support SchedulingPolicies: remove schedulerName, or set"
              + " it to "
              + SchedulerNames.BERTH);
    }
  }

  private void checkConfigs(TemplateKind kind, String list, List<ConfigReference> references) {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < references.size(); i++) {
      String place = list + "[" + i + "]";
      ConfigReference reference = references.get(i);
      if (!seen.add(reference.name())) {
        refuse(
            ErrorCode.BINDING_INVALID,
            place + ".name",
            "names \"" + reference.name() + "\" a second time: name each config once");
        continue;
      }
      Optional<ServedConfig> config = config(kind, reference.name());
      if (config.isEmpty()) {
        warnUnknown(
            place + ".name",
            kind.kind(),
            reference.name(),
            catalog.configNames(kind).stream()
                .filter(name -> config(kind, name).isPresent())
                .toList());
        continue;
      }
      switch (config.get().compilation()) {
        case InvalidTemplate invalid ->
            warn(
                ErrorCode.CONFIG_BROKEN,
                place + ".name",
                kind.kind()
                    + " \""
                    + reference.name()
                    + "\" has invalid templates: see its status");
        case CompiledTemplate template -> {
          switch (template.parameters().check(given(kind, place, reference))) {
            case Arguments fitting -> tryOut(template, fitting, kind, place, reference.name());
            case RefusedArguments refused -> warnings.addAll(refused.problems());
          }
        }
      }
    }
  }

  /**
   * Renders the config once, because valid arguments can still produce a result that the API server
   * rejects. Problems that depend on the pod's properties are ignored.
   */
  private void tryOut(
      CompiledTemplate template,
      Arguments arguments,
      TemplateKind kind,
      String place,
      String name) {
    PodFacts somePod = new PodFacts(namespace, podLabels, Map.of(), "", "");
    if (template.render(arguments, somePod) instanceof RenderingRefused refused) {
      refused.problems().stream()
          .filter(problem -> problem.code() != ErrorCode.RENDER_MISSING_VALUE)
          .findFirst()
          .ifPresent(
              problem ->
                  warn(
                      ErrorCode.BINDING_REFUSED,
                      place + ".args",
                      "the arguments are valid, but "
                          + kind.kind()
                          + " \""
                          + name
                          + "\" cannot be rendered with them, so the binding has no effect: "
                          + problem.text()));
    }
  }

  private void checkPolicy(ServedPolicy policy) {
    String place = "spec.schedulingPolicy";
    catalog
        .obstacle(policy)
        .ifPresent(
            flaw ->
                warn(
                    ErrorCode.POLICY_BROKEN,
                    place,
                    "SchedulingPolicy \""
                        + policy.name()
                        + "\" is invalid, and no earlier revision of it can be used ("
                        + flaw.where()
                        + "); the binding has no effect until the policy is valid"));
  }

  /** Returns a policy that exists for the author of the binding. */
  private Optional<ServedPolicy> policy(String name) {
    return catalog.policy(name).filter(policy -> isAllowed(policy.allowedNamespaces()));
  }

  /** Returns a config that exists for the author of the binding. */
  private Optional<ServedConfig> config(TemplateKind kind, String name) {
    return catalog.config(kind, name).filter(config -> isAllowed(config.allowedNamespaces()));
  }

  /**
   * Returns whether the binding's namespace may use an object. If not, its author gets the same
   * answer as for a name that does not exist. The platform team may know every name, and its
   * bindings select other namespaces, for which the answer can differ.
   */
  private boolean isAllowed(NamespaceAccess allowed) {
    return isOfOperator() || catalog.allows(allowed, namespace);
  }

  private boolean isOfOperator() {
    return namespace.equals(catalog.operatorNamespace());
  }

  private static GivenArguments given(TemplateKind kind, String place, ConfigReference reference) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    reference.args().forEach((String key, JsonNode value) -> tree.set(key, value));
    return new GivenArguments(kind.kind() + " " + reference.name(), place + ".args", tree);
  }

  private void warnUnknown(String path, String kind, String name, Collection<String> known) {
    warn(
        ErrorCode.BINDING_REFERENCE_UNKNOWN,
        path,
        "there is no "
            + kind
            + " \""
            + name
            + "\""
            + (isOfOperator() ? " yet" : " that namespace " + namespace + " may use")
            + "; the binding has no effect until there is"
            + NearestName.question(name, known));
  }

  private void refuse(ErrorCode code, String path, String message) {
    problems.add(new Problem(code, path, message));
  }

  private void warn(ErrorCode code, String path, String message) {
    warnings.add(new Problem(code, path, message));
  }
}

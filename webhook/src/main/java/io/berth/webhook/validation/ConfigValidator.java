package io.berth.webhook.validation;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.berth.crds.AllowedNamespaces;
import io.berth.crds.SchedulerConfigBindingSpec;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.SchedulingQueueSpec;
import io.berth.crds.policy.ExtenderTls;
import io.berth.webhook.argument.DeclaredParameter;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.ServedPolicy;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.legacy.LegacyObject;
import io.berth.webhook.template.Compilation;
import io.berth.webhook.template.CompiledTemplate;
import io.berth.webhook.template.InvalidTemplate;
import io.berth.webhook.template.TemplateCompiler;
import io.berth.webhook.template.TemplateKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Validates Berth's kinds, and ConfigMaps with legacy policies, at apply time. Errors in the object
 * itself are rejected, with the path of the field and a correction. References to other objects
 * only cause warnings, because those objects may be created later; the status reports the result.
 * Thread-safe.
 */
public final class ConfigValidator {
  private static final ObjectMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private final PolicyValidator policies;
  private final QueueValidator queues;

  /**
   * Creates a validator.
   *
   * @param policies checks the algorithms of SchedulingPolicies and their arguments
   */
  public ConfigValidator(PolicyValidator policies) {
    this(policies, (name, spec) -> List.of());
  }

  /**
   * Creates a validator.
   *
   * @param policies checks the algorithms of SchedulingPolicies and their arguments
   * @param queues checks the amounts of SchedulingQueues
   */
  public ConfigValidator(PolicyValidator policies, QueueValidator queues) {
    this.policies = policies;
    this.queues = queues;
  }

  /**
   * Validates an object.
   *
   * @param kind one of Berth's kinds, or ConfigMap
   * @param namespace the object's namespace; empty for cluster-scoped kinds
   * @param name the object's name; may be empty if it is generated
   * @param object the object as JSON
   * @param catalog the objects that it may reference
   */
  public ValidationResult validate(
      String kind, String namespace, String name, JsonNode object, ConfigCatalog catalog) {
    JsonNode spec = object.path("spec");
    try {
      return switch (kind) {
        case "NodeSchedulerConfig" -> config(TemplateKind.NODE, name, spec, catalog);
        case "PodSchedulerConfig" -> config(TemplateKind.POD, name, spec, catalog);
        case "SchedulerConfigBinding" ->
            new BindingRules(namespace, catalog)
                .check(JSON.treeToValue(spec, SchedulerConfigBindingSpec.class));
        case "SchedulingPolicy" ->
            policy(name, JSON.treeToValue(spec, SchedulingPolicySpec.class), object, catalog);
        case "SchedulingQueue" ->
            queue(name, JSON.treeToValue(spec, SchedulingQueueSpec.class), catalog);
        case "ConfigMap" -> legacy(name, object);
        default ->
            throw new IllegalArgumentException(
                "kind " + kind + " is not one of Berth's: take it out of the webhook's rules");
      };
    } catch (JsonProcessingException e) {
      ErrorCode code =
          switch (kind) {
            case "SchedulingPolicy" -> ErrorCode.POLICY_INVALID;
            case "SchedulingQueue" -> ErrorCode.QUEUE_INVALID;
            default -> ErrorCode.BINDING_INVALID;
          };
      return new ValidationResult(List.of(unreadable(code, "spec", e)), List.of());
    }
  }

  private static ValidationResult config(
      TemplateKind kind, String name, JsonNode spec, ConfigCatalog catalog) {
    List<Problem> problems = new ArrayList<>();
    List<Problem> warnings = new ArrayList<>();
    SelectorRules rules = new SelectorRules(ErrorCode.ALLOWED_NAMESPACES, problems);
    rules.check("spec.allowedNamespaces", allowedNamespaces(spec, problems));
    problems.addAll(RolloutRules.check(spec));
    warnings.addAll(RolloutRules.warnings(spec));
    Compilation compilation = new TemplateCompiler().compile(kind, spec);
    switch (compilation) {
      case InvalidTemplate invalid -> problems.addAll(invalid.problems());
      case CompiledTemplate template -> {
        warnings.addAll(unused(template));
        warnings.addAll(withoutEffect(kind, spec));
        warnings.addAll(BindingRules.brokenBy(template, kind, name, catalog));
      }
    }
    return new ValidationResult(problems, warnings);
  }

  private static @Nullable AllowedNamespaces allowedNamespaces(
      JsonNode spec, List<Problem> problems) {
    JsonNode allowed = spec.path("allowedNamespaces");
    if (allowed.isMissingNode()) {
      return null;
    }
    try {
      return JSON.treeToValue(allowed, AllowedNamespaces.class);
    } catch (JsonProcessingException e) {
      problems.add(unreadable(ErrorCode.ALLOWED_NAMESPACES, "spec.allowedNamespaces", e));
      return null;
    }
  }

  private static List<Problem> withoutEffect(TemplateKind kind, JsonNode spec) {
    List<Problem> empty = new ArrayList<>();
    boolean nothing = true;
    for (String field : kind.fields()) {
      JsonNode value = spec.path(field);
      boolean given = !value.isMissingNode() && !value.isNull();
      if (given && isEmpty(value)) {
        empty.add(
            new Problem(
                ErrorCode.CONFIG_WITHOUT_EFFECT,
                "spec." + field,
                "is empty and has no effect: fill it in, or remove it"));
      }
      nothing &= !given;
    }
    if (nothing) {
      empty.add(
          new Problem(
              ErrorCode.CONFIG_WITHOUT_EFFECT,
              "spec",
              "has no effect: set at least one of " + String.join(", ", kind.fields())));
    }
    return empty;
  }

  /** Returns whether a tree contains no value at any depth. */
  private static boolean isEmpty(JsonNode node) {
    if (!node.isContainerNode()) {
      return node.isNull();
    }
    for (JsonNode child : node) {
      if (!isEmpty(child)) {
        return false;
      }
    }
    return true;
  }

  private static List<Problem> unused(CompiledTemplate template) {
    List<Problem> unused = new ArrayList<>();
    List<DeclaredParameter> parameters = template.parameters().list();
    for (int i = 0; i < parameters.size(); i++) {
      if (!template.uses(parameters.get(i))) {
        unused.add(
            new Problem(
                ErrorCode.PARAMETER_UNUSED,
                "spec.parameters[" + i + "]",
                "no template uses \""
                    + parameters.get(i).name()
                    + "\", so it has no effect: use ${"
                    + parameters.get(i).name()
                    + "} in a template, or remove the parameter"));
      }
    }
    return unused;
  }

  private ValidationResult queue(String name, SchedulingQueueSpec spec, ConfigCatalog catalog) {
    List<Problem> problems = queues.validate(name, spec);
    return problems.isEmpty()
        ? new QueueRules(catalog.queues()).check(name, spec)
        : new ValidationResult(problems, List.of());
  }

  private ValidationResult policy(
      String name, SchedulingPolicySpec spec, JsonNode object, ConfigCatalog catalog) {
    List<Problem> problems = new ArrayList<>(policies.validate(name, spec));
    problems.addAll(RolloutRules.check(object.path("spec")));
    List<Problem> warnings = new ArrayList<>(keysIn(spec));
    warnings.addAll(RolloutRules.warnings(object.path("spec")));
    new SelectorRules(ErrorCode.ALLOWED_NAMESPACES, problems)
        .check("spec.allowedNamespaces", spec.allowedNamespaces());
    Optional<ServedPolicy> other =
        catalog.defaultPolicy().filter(each -> !each.name().equals(name));
    if (spec.isDefault() && other.isPresent()) {
      String created = object.path("metadata").path("creationTimestamp").asText("");
      boolean otherServes =
          created.isEmpty()
              || other.get().created().compareTo(created) < 0
              || (other.get().created().equals(created) && other.get().name().compareTo(name) < 0);
      warnings.add(
          new Problem(
              ErrorCode.POLICY_SECOND_DEFAULT,
              "spec.default",
              "SchedulingPolicy "
                  + other.get().name()
                  + " is also marked as default; of the two, "
                  + (otherServes ? other.get().name() : name)
                  + " is used, because it is older or its name comes first"));
    }
    return new ValidationResult(problems, warnings);
  }

  private ValidationResult legacy(String name, JsonNode object) {
    LegacyObject legacy =
        LegacyObject.of(
            texts(object.path("data")), texts(object.path("metadata").path("annotations")));
    List<Problem> problems = new ArrayList<>(legacy.problems());
    List<Problem> warnings = new ArrayList<>();
    if (legacy.spec().isPresent()) {
      policies.validate(name, legacy.spec().get()).forEach(each -> problems.add(in(legacy, each)));
      keysIn(legacy.spec().get()).forEach(each -> warnings.add(in(legacy, each)));
    }
    return new ValidationResult(problems, warnings);
  }

  private static Problem in(LegacyObject legacy, Problem ofSpec) {
    return new Problem(ofSpec.code(), legacy.placeOf(ofSpec.path()), ofSpec.message());
  }

  private static Map<String, String> texts(JsonNode object) {
    Map<String, String> texts = new LinkedHashMap<>();
    object.properties().forEach(each -> texts.put(each.getKey(), each.getValue().asText()));
    return texts;
  }

  private static List<Problem> keysIn(SchedulingPolicySpec spec) {
    List<Problem> warnings = new ArrayList<>();
    for (int i = 0; i < spec.extenders().size(); i++) {
      ExtenderTls tls = spec.extenders().get(i).tlsConfig();
      if (tls != null && tls.keyData() != null && !tls.keyData().isEmpty()) {
        warnings.add(
            new Problem(
                ErrorCode.POLICY_HOLDS_KEY,
                "spec.extenders[" + i + "].tlsConfig.keyData",
                "is deprecated, because everybody who can read SchedulingPolicies can read the key:"
                    + " put the certificate and the key into a Secret, and name it in secretName"));
      }
    }
    return warnings;
  }

  private static Problem unreadable(ErrorCode code, String field, JsonProcessingException e) {
    StringBuilder path = new StringBuilder(field);
    if (e instanceof JsonMappingException mapping) {
      for (JsonMappingException.Reference reference : mapping.getPath()) {
        if (reference.getFieldName() == null) {
          path.append('[').append(reference.getIndex()).append(']');
        } else {
          path.append('.').append(reference.getFieldName());
        }
      }
    }
    return new Problem(
        code, path.toString(), "has the wrong type for this field; kubectl explain shows the type");
  }
}

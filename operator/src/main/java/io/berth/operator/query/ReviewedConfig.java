package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.webhook.binding.CatalogChange;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.error.ObjectNames;
import io.berth.webhook.error.Problem;
import io.berth.webhook.validation.ConfigValidator;
import io.berth.webhook.validation.ValidationResult;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** The kinds of a review, other than policies, with the field of a review that contains them. */
enum ReviewedConfig {
  NODE_CONFIG("nodeSchedulerConfig", "NodeSchedulerConfig"),
  POD_CONFIG("podSchedulerConfig", "PodSchedulerConfig"),
  BINDING("schedulerConfigBinding", "SchedulerConfigBinding");

  private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();
  private static final ConfigValidator VALIDATOR = new ConfigValidator((name, spec) -> List.of());

  private final String field;
  private final String kind;

  ReviewedConfig(String field, String kind) {
    this.field = field;
    this.kind = kind;
  }

  /** Returns the field of the spec of a review. */
  String field() {
    return field;
  }

  /** Returns the name of the object in the spec of a review. */
  String nameIn(JsonNode spec) {
    return spec.path(field).path("name").asText();
  }

  /**
   * Returns the change of a catalog by the object of a review.
   *
   * @param review the kind of the review, for messages
   * @param given the field of the review: the name and spec of the object, and the namespace of a
   *     binding
   * @param namespace the namespace of a binding that names none; empty if it has to
   * @throws ApiException with 422 if the object is invalid
   */
  CatalogChange change(
      String review, JsonNode given, String namespace, ConfigCatalog catalog, Instant now)
      throws ApiException {
    String name = name(review, given.path("name"), "name");
    if (!given.path("spec").isObject()) {
      throw invalid(
          review, "spec", "is required: the spec of a %s, as it would be".formatted(kind));
    }
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object.put("apiVersion", "sched.cloud.ctrip.com/v1").put("kind", kind);
    ObjectNode metadata = object.putObject("metadata").put("name", name);
    String inNamespace = "";
    if (this == BINDING) {
      JsonNode named = given.path("namespace");
      inNamespace = name(review, named.isMissingNode() ? text(namespace) : named, "namespace");
      metadata.put("namespace", inNamespace);
    }
    object.set("spec", given.path("spec"));
    ValidationResult valid = VALIDATOR.validate(kind, inNamespace, name, object, catalog);
    if (!valid.problems().isEmpty()) {
      Problem problem = valid.problems().getFirst();
      throw invalid(review, problem.path(), problem.code().id() + ": " + problem.message());
    }
    try {
      return switch (this) {
        case NODE_CONFIG ->
            CatalogChange.ofConfig(
                catalog, SERIALIZATION.convertValue(object, NodeSchedulerConfig.class));
        case POD_CONFIG ->
            CatalogChange.ofConfig(
                catalog, SERIALIZATION.convertValue(object, PodSchedulerConfig.class));
        case BINDING ->
            CatalogChange.ofBinding(
                catalog,
                SERIALIZATION.convertValue(object, SchedulerConfigBinding.class),
                now.truncatedTo(ChronoUnit.SECONDS).toString());
      };
    } catch (IllegalArgumentException e) {
      throw invalid(review, "spec", String.valueOf(e.getMessage()));
    }
  }

  private static JsonNode text(String value) {
    return JsonNodeFactory.instance.textNode(value);
  }

  private String name(String review, JsonNode given, String of) throws ApiException {
    String name = given.asText("");
    if (!ObjectNames.isValid(name)) {
      throw invalid(review, of, "must be the %s of a %s".formatted(of, kind));
    }
    return name;
  }

  private ApiException invalid(String review, String path, String message) {
    return ApiException.invalid(review, "spec." + field + "." + path, message);
  }
}

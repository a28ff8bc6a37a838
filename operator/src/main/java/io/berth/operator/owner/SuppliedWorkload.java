package io.berth.operator.owner;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.rules.RootName;
import io.berth.webhook.binding.Controller;
import io.berth.webhook.binding.Owner;
import io.berth.webhook.binding.OwnerLookup;
import io.berth.webhook.binding.OwnerSize;
import io.berth.webhook.binding.PodSubject;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * A workload that a user describes, which need not exist. It is the root owner of its pods, and
 * tells how many there are.
 *
 * @param root the workload
 * @param controller the object that creates the pods: for Deployments and CronJobs, one whose name
 *     their controllers would generate
 * @param template the metadata and the spec of a pod, as the controller creates it
 * @param pods the number of pods that it runs at a time, at least 1
 * @param size the number of pods of its group; empty if its kind does not define it
 */
public record SuppliedWorkload(
    Owner root, Controller controller, ObjectNode template, int pods, OptionalInt size)
    implements OwnerLookup {
  /** The UID of the object that creates the pods. */
  private static final String UID = "review";

  /** A hash that looks like one that the controller of Deployments generates. */
  private static final String TEMPLATE_HASH = "5d4f8c7b9d";

  /** A time that looks like one that the controller of CronJobs appends, in minutes since 1970. */
  private static final String MINUTES = "29000000";

  /** Controllers that create the number of pods in {@code spec.replicas}. */
  private static final Set<String> REPLICATED =
      Set.of("apps/v1/ReplicaSet", "apps/v1/StatefulSet", "v1/ReplicationController");

  /**
   * Reads a workload.
   *
   * @return the workload; empty if the object has no pod template, as other kinds do not
   */
  public static Optional<SuppliedWorkload> of(JsonNode object) {
    String apiVersion = object.path("apiVersion").asText();
    String kind = object.path("kind").asText();
    String name = name(object.path("metadata"));
    JsonNode spec = object.path("spec");
    Controller itself = new Controller(apiVersion, kind, name, UID);
    return switch (apiVersion + "/" + kind) {
      case "apps/v1/Deployment" ->
          workload(
                  itself.asOwner(),
                  new Controller("apps/v1", "ReplicaSet", name + "-" + TEMPLATE_HASH, UID),
                  spec)
              .map(SuppliedWorkload::withTemplateHash);
      case "batch/v1/CronJob" ->
          workload(
              itself.asOwner(),
              new Controller("batch/v1", "Job", name + "-" + MINUTES, UID),
              spec.at("/jobTemplate/spec"));
      default -> workload(itself.asOwner(), itself, spec);
    };
  }

  /** Returns the name of the object; empty if it has none, and none can be generated. */
  public static String name(JsonNode metadata) {
    String generated = metadata.path("generateName").asText("");
    return metadata.path("name").asText(generated.isEmpty() ? "" : generated + UID);
  }

  private static Optional<SuppliedWorkload> workload(
      Owner root, Controller controller, JsonNode spec) {
    if (!spec.at("/template/spec").isObject()) {
      return Optional.empty();
    }
    ObjectNode template = JsonNodeFactory.instance.objectNode();
    ObjectNode metadata =
        spec.at("/template/metadata") instanceof ObjectNode given
            ? given.deepCopy()
            : template.objectNode();
    metadata.remove("name");
    metadata.put("generateName", controller.name() + "-");
    metadata
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", controller.apiVersion())
        .put("kind", controller.kind())
        .put("name", controller.name())
        .put("uid", controller.uid())
        .put("controller", true);
    template.set("metadata", metadata);
    template.set("spec", spec.at("/template/spec").deepCopy());
    OptionalInt size =
        SizedKind.of(controller).map(kind -> kind.size(spec)).orElse(OptionalInt.empty());
    return Optional.of(
        new SuppliedWorkload(root, controller, template, pods(controller, spec, size), size));
  }

  private static int pods(Controller controller, JsonNode spec, OptionalInt size) {
    String kind = controller.apiVersion() + "/" + controller.kind();
    return size.orElse(REPLICATED.contains(kind) ? Math.max(1, spec.path("replicas").asInt(1)) : 1);
  }

  private SuppliedWorkload withTemplateHash() {
    template.withObject("/metadata/labels").put(RootName.TEMPLATE_HASH, TEMPLATE_HASH);
    return this;
  }

  @Override
  public Owner root(String namespace, Controller of, Map<String, String> podLabels) {
    return root;
  }

  @Override
  public Optional<OwnerSize> size(PodSubject pod) {
    return WorkloadSizes.of(controller, size);
  }
}

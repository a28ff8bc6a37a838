package io.berth.webhook.merge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Merges rendered configs into a pod's own spec.
 *
 * <p>Required node selector terms are combined with the pod's own by AND. Everything else is
 * appended: preferred terms, pod affinity terms, and tolerations unless the pod already has an
 * equal one; topology spread constraints unless the pod has one with the same {@code topologyKey}
 * and {@code whenUnsatisfiable}, which the API server requires to be unique. The pod's own terms
 * and their order do not change otherwise. Merging the same configs into the result again changes
 * nothing.
 */
public final class SpecMerge {
  private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
  private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

  private SpecMerge() {}

  /**
   * Merges configs in the order of the list.
   *
   * @param podSpec the pod's spec; it is not changed
   */
  public static MergeOutcome merge(JsonNode podSpec, List<RenderedConfig> configs) {
    ObjectNode spec = JsonNodeFactory.instance.objectNode();
    for (String field : List.of("affinity", "tolerations", "topologySpreadConstraints")) {
      if (podSpec.hasNonNull(field)) {
        spec.set(field, podSpec.get(field).deepCopy());
      }
    }
    List<Problem> notes = new ArrayList<>();
    for (RenderedConfig config : configs) {
      JsonNode fields = config.fields();
      Optional<String> refused = mergeNodeAffinity(spec, fields.path("nodeAffinity"), config);
      if (refused.isPresent()) {
        return new MergeOutcome.Refused(config.source(), refused.get());
      }
      mergePodTerms(spec, "podAffinity", fields.path("podAffinity"));
      mergePodTerms(spec, "podAntiAffinity", fields.path("podAntiAffinity"));
      appendNew(
          () -> list(spec, "tolerations"), fields.path("tolerations"), Canonical::ofToleration);
      mergeSpread(spec, fields.path("topologySpreadConstraints"), config, notes);
    }
    return new MergeOutcome.Merged(spec, List.copyOf(notes));
  }

  private static Optional<String> mergeNodeAffinity(
      ObjectNode spec, JsonNode rendered, RenderedConfig config) {
    if (rendered.hasNonNull(REQUIRED)) {
      Optional<NodeTerms> theirs =
          NodeTerms.read(rendered.path(REQUIRED).path("nodeSelectorTerms"));
      JsonNode own = spec.path("affinity").path("nodeAffinity").path(REQUIRED);
      Optional<NodeTerms> merged =
          own.isObject()
              ? NodeTerms.read(own.path("nodeSelectorTerms"))
                  .flatMap(mine -> theirs.flatMap(mine::and))
              : theirs.filter(NodeTerms::fits);
      if (merged.isEmpty()) {
        return Optional.of(
            "combining the required node selector terms of "
                + config.source()
                + " with those of the pod results in more than "
                + NodeTerms.LIMIT
                + " terms; write alternatives as values of one expression (operator In) instead of"
                + " separate terms");
      }
      object(object(object(spec, "affinity"), "nodeAffinity"), REQUIRED)
          .set("nodeSelectorTerms", merged.get().write());
    }
    appendNew(
        () -> list(object(object(spec, "affinity"), "nodeAffinity"), PREFERRED),
        rendered.path(PREFERRED),
        Canonical::of);
    return Optional.empty();
  }

  private static void mergePodTerms(ObjectNode spec, String kind, JsonNode rendered) {
    for (String list : List.of(REQUIRED, PREFERRED)) {
      appendNew(
          () -> list(object(object(spec, "affinity"), kind), list),
          rendered.path(list),
          Canonical::of);
    }
  }

  private static void mergeSpread(
      ObjectNode spec, JsonNode rendered, RenderedConfig config, List<Problem> notes) {
    for (JsonNode constraint : rendered) {
      Optional<JsonNode> own =
          find(spec.path("topologySpreadConstraints"), there -> samePair(there, constraint));
      if (own.isEmpty()) {
        list(spec, "topologySpreadConstraints").add(constraint);
      } else if (!Canonical.of(own.get()).equals(Canonical.of(constraint))) {
        notes.add(
            new Problem(
                ErrorCode.SPREAD_CONSTRAINT_LEFT_OUT,
                config.source(),
                "the spread constraint for topologyKey "
                    + constraint.path("topologyKey").asText()
                    + ", "
                    + constraint.path("whenUnsatisfiable").asText()
                    + " was omitted: the pod already has one, and the API server allows only one of"
                    + " each pair"));
      }
    }
  }

  private static boolean samePair(JsonNode one, JsonNode other) {
    return one.path("topologyKey").asText().equals(other.path("topologyKey").asText())
        && one.path("whenUnsatisfiable").asText().equals(other.path("whenUnsatisfiable").asText());
  }

  private static Optional<JsonNode> find(JsonNode list, Predicate<JsonNode> wanted) {
    for (JsonNode item : list) {
      if (wanted.test(item)) {
        return Optional.of(item);
      }
    }
    return Optional.empty();
  }

  /**
   * Appends the items that the target does not contain yet. The target is created only if there are
   * rendered items.
   */
  private static void appendNew(
      Supplier<ArrayNode> target, JsonNode rendered, Function<JsonNode, String> canonical) {
    if (rendered.isEmpty()) {
      return;
    }
    ArrayNode list = target.get();
    Set<String> there = new HashSet<>();
    list.forEach(item -> there.add(canonical.apply(item)));
    for (JsonNode item : rendered) {
      if (there.add(canonical.apply(item))) {
        list.add(item);
      }
    }
  }

  private static ObjectNode object(ObjectNode parent, String field) {
    return parent.get(field) instanceof ObjectNode there ? there : parent.putObject(field);
  }

  private static ArrayNode list(ObjectNode parent, String field) {
    return parent.get(field) instanceof ArrayNode there ? there : parent.putArray(field);
  }
}

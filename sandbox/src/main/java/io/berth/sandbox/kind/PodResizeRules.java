package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.quota.QosClass;
import java.util.ArrayList;
import java.util.List;

/**
 * The {@code resize} subresource of pods, which changes the CPU and memory requests and limits of
 * running containers. The QoS class must not change.
 */
final class PodResizeRules {
  private static final List<String> LISTS = List.of("containers", "initContainers");
  private static final List<String> RESIZED = List.of("resources", "resizePolicy");
  private static final List<String> AMOUNTS = List.of("requests", "limits");
  private static final List<String> MUTABLE = List.of("cpu", "memory");

  private PodResizeRules() {}

  /**
   * Resets everything but the container resources, in place. If the list of containers differs from
   * the old one, it is kept for validation to report.
   */
  static void keepOnlyResources(ObjectNode pod, ObjectNode old) {
    ObjectNode spec = old.withObjectProperty("spec").deepCopy();
    for (String list : LISTS) {
      JsonNode asked = pod.path("spec").path(list);
      JsonNode kept = spec.path(list);
      if (!sameNames(asked, kept)) {
        spec.set(list, asked);
        continue;
      }
      for (int i = 0; i < kept.size(); i++) {
        for (String field : RESIZED) {
          ObjectNode container = (ObjectNode) kept.get(i);
          if (asked.get(i).has(field)) {
            container.set(field, asked.get(i).get(field));
          } else {
            container.remove(field);
          }
        }
      }
    }
    pod.set("spec", spec);
  }

  private static boolean sameNames(JsonNode one, JsonNode other) {
    if (one.size() != other.size()) {
      return false;
    }
    for (int i = 0; i < one.size(); i++) {
      if (!one.get(i).path("name").equals(other.get(i).path("name"))) {
        return false;
      }
    }
    return true;
  }

  static List<FieldError> validate(ObjectNode pod, ObjectNode old) {
    List<FieldError> errors = new ArrayList<>();
    JsonNode spec = pod.path("spec");
    JsonNode oldSpec = old.path("spec");
    for (String list : LISTS) {
      if (!sameNames(spec.path(list), oldSpec.path(list))) {
        errors.add(
            FieldError.forbidden(
                "spec." + list,
                list + " may not be added, removed, renamed or reordered on resize"));
      }
    }
    if (!errors.isEmpty()) {
      return errors;
    }
    PodSpecRules.validate(spec, "spec", errors);
    String before = QosClass.of((ObjectNode) oldSpec);
    String after = QosClass.of((ObjectNode) spec);
    if (!before.equals(after)) {
      errors.add(
          FieldError.invalid(
              "spec", before, "Pod QOS Class may not change as a result of resizing"));
    }
    for (String list : LISTS) {
      for (int i = 0; i < oldSpec.path(list).size(); i++) {
        container(
            spec.path(list).get(i),
            oldSpec.path(list).get(i),
            "spec." + list + "[" + i + "].resources",
            errors);
      }
    }
    return errors;
  }

  private static void container(
      JsonNode container, JsonNode old, String path, List<FieldError> errors) {
    for (String amounts : AMOUNTS) {
      JsonNode now = container.path("resources").path(amounts);
      JsonNode before = old.path("resources").path(amounts);
      for (var entry : before.properties()) {
        boolean mutable = MUTABLE.contains(entry.getKey());
        if (mutable && !now.has(entry.getKey())) {
          errors.add(
              FieldError.forbidden(
                  path + "." + amounts, "resource " + amounts + " cannot be removed"));
        } else if (!mutable && !entry.getValue().equals(now.path(entry.getKey()))) {
          errors.add(FieldError.forbidden("spec", "only cpu and memory resources are mutable"));
        }
      }
      for (var entry : now.properties()) {
        if (!MUTABLE.contains(entry.getKey()) && !before.has(entry.getKey())) {
          errors.add(FieldError.forbidden("spec", "only cpu and memory resources are mutable"));
        }
      }
    }
  }
}

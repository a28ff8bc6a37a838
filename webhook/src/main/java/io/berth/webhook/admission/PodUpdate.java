package io.berth.webhook.admission;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.Annotations;
import io.berth.crds.binding.BindingField;
import io.berth.webhook.argument.ArgumentParser;
import io.berth.webhook.binding.AppliedFields;
import io.berth.webhook.binding.BindingKey;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.HeldPolicy;
import io.berth.webhook.binding.PodSubject;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Protects the decisions made at admission: if an update changes the annotation {@code applied}, or
 * a policy, group, or queue that a binding with {@code podOverrides: Deny} controls, the change is
 * reverted.
 */
final class PodUpdate {
  private static final String REVERTED = "was reverted: ";

  private PodUpdate() {}

  /**
   * Reviews an update.
   *
   * @param before the existing pod
   * @param after the updated pod
   */
  static PodVerdict judge(
      String namespace, JsonNode before, JsonNode after, ConfigCatalog catalog) {
    PodSubject old = PodSubject.of(namespace, before);
    PodPatch patch = new PodPatch(after);
    List<Problem> warnings = new ArrayList<>();
    putBackApplied(before, after, patch, warnings);
    AppliedFields admitted = AppliedFields.of(old.annotations());
    Optional<HeldPolicy> held =
        catalog
            .held()
            .policy(old, admitted.by(BindingField.SCHEDULING_POLICY))
            .or(() -> catalog.held().policy(PodSubject.of(namespace, after), Optional.empty()));
    Optional<String> asked = annotation(after, Annotations.POLICY);
    if (held.isPresent()
        && !asked.equals(annotation(before, Annotations.POLICY))
        && !asked.equals(held.get().policy())) {
      put(patch, Annotations.POLICY, held.get().policy());
      warnings.add(putBack(Annotations.POLICY, held.get().binding()));
    }
    List<String> changed =
        GroupAnnotations.WRITTEN.stream()
            .filter(key -> !annotation(after, key).equals(annotation(before, key)))
            .toList();
    if (!changed.isEmpty()) {
      catalog
          .held()
          .group(old, admitted.by(BindingField.GROUP))
          .or(() -> catalog.held().group(PodSubject.of(namespace, after), Optional.empty()))
          .ifPresent(
              binding -> {
                for (String key : changed) {
                  put(patch, key, annotation(before, key));
                  warnings.add(putBack(key, binding));
                }
              });
    }
    Optional<String> queue = label(before);
    Optional<String> askedQueue = label(after);
    if (!askedQueue.equals(queue)) {
      catalog
          .held()
          .queue(old, admitted.by(BindingField.QUEUE), askedQueue)
          .or(
              () ->
                  catalog
                      .held()
                      .queue(PodSubject.of(namespace, after), Optional.empty(), askedQueue))
          .ifPresent(
              binding -> {
                queue.ifPresentOrElse(
                    name -> patch.label(Annotations.QUEUE_LABEL, name),
                    () -> patch.removeLabel(Annotations.QUEUE_LABEL));
                warnings.add(
                    new Problem(
                        ErrorCode.ANNOTATION_PUT_BACK,
                        AnnotationWarnings.placeOfLabel(Annotations.QUEUE_LABEL),
                        REVERTED + ofBinding(binding)));
              });
    }
    return new PodVerdict.Admitted(patch.operations(), List.copyOf(warnings), List.of(), Map.of());
  }

  /**
   * Reviews the creation or an update of a pod that has a node: only the annotation {@code applied}
   * is protected, because results of rollouts are counted from it.
   *
   * @param before the existing pod; missing if it is created with its node
   */
  static PodVerdict judgeBound(JsonNode before, JsonNode after) {
    PodPatch patch = new PodPatch(after);
    List<Problem> warnings = new ArrayList<>();
    putBackApplied(before, after, patch, warnings);
    return new PodVerdict.Admitted(patch.operations(), List.copyOf(warnings), List.of(), Map.of());
  }

  private static void putBackApplied(
      JsonNode before, JsonNode after, PodPatch patch, List<Problem> warnings) {
    Optional<String> applied = annotation(before, Annotations.APPLIED);
    if (!annotation(after, Annotations.APPLIED).equals(applied)) {
      put(patch, Annotations.APPLIED, applied);
      warnings.add(
          putBack(Annotations.APPLIED, "it records what Berth did when the pod was created"));
    }
  }

  private static Optional<String> label(JsonNode pod) {
    JsonNode value = pod.path("metadata").path("labels").path(Annotations.QUEUE_LABEL);
    return value.isTextual() ? Optional.of(value.textValue()) : Optional.empty();
  }

  private static Optional<String> annotation(JsonNode pod, String key) {
    JsonNode value = pod.path("metadata").path("annotations").path(key);
    return value.isTextual() ? Optional.of(value.textValue()) : Optional.empty();
  }

  private static void put(PodPatch patch, String key, Optional<String> value) {
    value.ifPresentOrElse(text -> patch.annotation(key, text), () -> patch.removeAnnotation(key));
  }

  private static Problem putBack(String key, BindingKey binding) {
    return putBack(key, ofBinding(binding));
  }

  private static String ofBinding(BindingKey binding) {
    return "it is controlled by SchedulerConfigBinding "
        + binding
        + ", which has podOverrides: Deny";
  }

  private static Problem putBack(String key, String why) {
    return new Problem(ErrorCode.ANNOTATION_PUT_BACK, ArgumentParser.placeOf(key), REVERTED + why);
  }
}

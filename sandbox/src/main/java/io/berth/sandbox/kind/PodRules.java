package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.admission.PodDefaults;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.release.KubernetesVersion;
import io.berth.sandbox.release.ServerFeature;
import java.util.ArrayList;
import java.util.List;

/** The rules of Pods. Most of the spec is immutable after creation. */
final class PodRules implements KindRules {
  private static final String MIRROR = "kubernetes.io/config.mirror";

  private final PodDefaults defaults;
  private final KubernetesVersion version;

  PodRules(PodDefaults defaults, KubernetesVersion version) {
    this.defaults = defaults;
    this.version = version;
  }

  @Override
  public boolean countsGenerations() {
    return ServerFeature.GENERATION_OF_PODS.isIn(version);
  }

  @Override
  public void applyDefaults(ObjectNode pod) {
    if (pod.path("status").path("phase").isMissingNode()) {
      defaults.applyToPod(pod);
    } else {
      defaults.applyToTemplate(pod);
      Defaults.flag(pod.withObjectProperty("spec"), "enableServiceLinks", true);
    }
  }

  @Override
  public void prepareToStore(ObjectNode pod) {
    LabelKeys.merge(pod, ServerFeature.MERGED_SPREAD_SELECTORS.isIn(version));
  }

  @Override
  public List<FieldError> validateCreate(ObjectNode pod) {
    List<FieldError> errors = new ArrayList<>();
    PodSpecRules.validate(pod.path("spec"), "spec", errors);
    JsonNode mirror = pod.path("metadata").path("annotations").path(MIRROR);
    if (mirror.isTextual() && pod.path("spec").path("nodeName").asText("").isEmpty()) {
      errors.add(
          FieldError.invalid(
              "metadata.annotations[" + MIRROR + "]",
              mirror,
              "must set spec.nodeName if mirror pod annotation is set"));
    }
    return errors;
  }

  @Override
  public List<FieldError> validateUpdate(ObjectNode pod, ObjectNode old) {
    return PodUpdateRules.validate(pod, old);
  }

  @Override
  public void prepareForUpdate(String subresource, ObjectNode pod, ObjectNode old) {
    switch (subresource) {
      case "resize" -> PodResizeRules.keepOnlyResources(pod, old);
      case "ephemeralcontainers" -> EphemeralContainerRules.keepOnlyContainers(pod, old);
      default -> {}
    }
  }

  @Override
  public List<FieldError> validateUpdate(String subresource, ObjectNode pod, ObjectNode old) {
    return switch (subresource) {
      case "resize" -> PodResizeRules.validate(pod, old);
      case "ephemeralcontainers" -> EphemeralContainerRules.validate(pod, old);
      default -> validateUpdate(pod, old);
    };
  }
}

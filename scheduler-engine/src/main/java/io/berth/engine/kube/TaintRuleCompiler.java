package io.berth.engine.kube;

import io.berth.engine.devices.DeviceTaint;
import io.berth.engine.devices.TaintRule;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Compiles DeviceTaintRules of {@code resource.k8s.io}. */
final class TaintRuleCompiler {
  private TaintRuleCompiler() {}

  /**
   * Compiles a rule. An empty selector selects all devices; without one, the rule selects none.
   *
   * @throws RefusedException if its taint has no key or no effect
   */
  static TaintRule compile(GenericKubernetesResource object) {
    Map<?, ?> spec = JsonMaps.mapIn(object.getAdditionalProperties(), "spec");
    Map<?, ?> taint = JsonMaps.mapIn(spec, "taint");
    Map<?, ?> selector = JsonMaps.mapIn(spec, "deviceSelector");
    return new TaintRule(
        name(object),
        spec.get("deviceSelector") != null,
        text(selector.get("driver"), "spec.deviceSelector.driver"),
        text(selector.get("pool"), "spec.deviceSelector.pool"),
        text(selector.get("device"), "spec.deviceSelector.device"),
        new DeviceTaint(
            required(taint.get("key"), "spec.taint.key"),
            text(taint.get("value"), "spec.taint.value").orElse(""),
            required(taint.get("effect"), "spec.taint.effect")));
  }

  static String name(GenericKubernetesResource object) {
    return Labels.requireName(object.getMetadata().getName(), "metadata.name");
  }

  private static String required(@Nullable Object value, String field) {
    return text(value, field)
        .filter(text -> !text.isEmpty())
        .orElseThrow(() -> new RefusedException(field + " is missing"));
  }

  private static Optional<String> text(@Nullable Object value, String field) {
    return switch (value) {
      case null -> Optional.empty();
      case String text -> Optional.of(text);
      default -> throw new RefusedException("%s is not a string: %s".formatted(field, value));
    };
  }
}

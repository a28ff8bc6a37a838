package io.berth.operator.schedule;

import io.berth.engine.ClusterEvent;
import io.berth.engine.Decision.Placed;
import io.berth.engine.GaugeReading;
import io.berth.engine.state.Gauge;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The inputs that bring another engine to the state of this one: the policies that serve, all
 * objects, and the pods whose Bindings are under way. The objects come from the informers' caches,
 * which know every change before the engine does; the rest is remembered here.
 *
 * <p>Used by the engine's thread alone.
 */
final class EngineInputs {
  private final Consumer<Consumer<ClusterEvent>> caches;
  private final Map<String, ClusterEvent.PolicyServed> policies = new LinkedHashMap<>();
  private final Map<String, Placed> binding = new LinkedHashMap<>();
  private final Map<List<String>, ClusterEvent.GaugeSeeded> gauges = new LinkedHashMap<>();
  private ClusterEvent.@Nullable DefaultPolicyChanged defaultPolicy;
  private ClusterEvent.@Nullable UsageReported usage;

  /**
   * @param caches passes all existing objects to a consumer
   */
  EngineInputs(Consumer<Consumer<ClusterEvent>> caches) {
    this.caches = caches;
  }

  /** The engine received the event. */
  void told(ClusterEvent event) {
    switch (event) {
      case ClusterEvent.PolicyServed served -> policies.put(served.policy().name(), served);
      case ClusterEvent.PolicyRemoved removed -> {
        policies.remove(removed.name());
        gauges.values().removeIf(seeded -> seeded.policy().equals(removed.name()));
      }
      case ClusterEvent.GaugeSeeded seeded -> keep(seeded);
      case ClusterEvent.UsageReported reported -> usage = reported;
      case ClusterEvent.DefaultPolicyChanged changed -> defaultPolicy = changed;
      case ClusterEvent.BindingFailed failed -> binding.remove(failed.pod().uid());
      case ClusterEvent.PodRemoved removed -> binding.remove(removed.pod().uid());
      case ClusterEvent.PodUpserted upserted -> {
        if (!upserted.pod().nodeName().isEmpty() || upserted.pod().finished()) {
          binding.remove(upserted.pod().ref().uid());
        }
      }
      default -> {
        // In the caches, or of no lasting effect.
      }
    }
  }

  /** The engine gave a pod a node; until the watch shows that it is there, only this knows. */
  void placed(Placed placed) {
    binding.put(placed.pod().uid(), placed);
  }

  /** The gauges as the engine had them when it failed. */
  void gauges(List<GaugeReading> readings) {
    for (GaugeReading gauge : readings) {
      Gauge.Reading reading = gauge.reading();
      keep(
          new ClusterEvent.GaugeSeeded(
              gauge.policy(), gauge.plugin(), reading.scope(), reading.mode()));
    }
  }

  private void keep(ClusterEvent.GaugeSeeded seeded) {
    gauges.put(List.of(seeded.policy(), seeded.plugin(), seeded.scope()), seeded);
  }

  /** Tells of everything, in an order that makes little work. */
  void replay(Consumer<ClusterEvent> engine) {
    policies.values().forEach(engine);
    gauges.values().forEach(engine);
    if (defaultPolicy != null) {
      engine.accept(defaultPolicy);
    }
    caches.accept(engine);
    if (usage != null) {
      engine.accept(usage); // after the nodes that it is about
    }
    for (Placed placed : binding.values()) {
      engine.accept(
          new ClusterEvent.PodAssumed(
              placed.pod(), placed.nodeName(), placed.preBind(), placed.annotations()));
    }
  }
}

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
 * The inputs that bring a new engine to the state of the current one: the serving policies, all
 * objects, and the pods whose Bindings are in flight. The objects come from the informers' caches,
 * which receive every change before the engine does; the rest is recorded here.
 *
 * <p>Confined to the engine's thread.
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

  /** Records an event that the engine received. */
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
        // The object is in the caches, or the event has no lasting effect.
      }
    }
  }

  /** Records a placement, which is known only here until the watch shows that the pod is bound. */
  void placed(Placed placed) {
    binding.put(placed.pod().uid(), placed);
  }

  /** Records the state of the failed engine's gauges. */
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

  /** Sends all inputs to an engine, in an order that minimizes its work. */
  void replay(Consumer<ClusterEvent> engine) {
    policies.values().forEach(engine);
    gauges.values().forEach(engine);
    if (defaultPolicy != null) {
      engine.accept(defaultPolicy);
    }
    caches.accept(engine);
    if (usage != null) {
      engine.accept(usage); // after the nodes that it refers to
    }
    for (Placed placed : binding.values()) {
      engine.accept(
          new ClusterEvent.PodAssumed(
              placed.pod(), placed.nodeName(), placed.preBind(), placed.annotations()));
    }
  }
}

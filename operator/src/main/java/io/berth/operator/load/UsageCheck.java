package io.berth.operator.load;

import io.berth.engine.model.NodeUsage;
import io.berth.engine.model.ResourceAmounts;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** Separates plausible measurements from implausible ones. */
final class UsageCheck {

  /** The reason why a node's measurement is ignored. */
  enum Fault {
    MISSING("Missing"),
    STALE("Stale"),
    NEGATIVE("Negative"),
    NOT_A_NUMBER("NotANumber"),
    LARGER_THAN_NODE("LargerThanNode"),
    UNKNOWN_NODE("UnknownNode");

    private final String label;

    Fault(String label) {
      this.label = label;
    }

    /** The value of the metric label {@code reason}. */
    String label() {
      return label;
    }
  }

  /**
   * The tolerance above a node's capacity, because rates are computed from samples and may exceed
   * it slightly.
   */
  private static final double TOLERANCE = 1.1;

  private final Function<String, Optional<Node>> nodes;

  UsageCheck(Function<String, Optional<Node>> nodes) {
    this.nodes = nodes;
  }

  /**
   * The result of a check.
   *
   * @param usable the measurements for the engine
   * @param faults the nodes whose measurements are ignored, by reason
   */
  record Result(List<NodeUsage> usable, Map<Fault, Set<String>> faults) {}

  /**
   * Checks the measurements of one reading.
   *
   * @param names the names of the cluster's nodes
   * @param maxAge the maximum age of a measurement
   */
  Result check(List<Measurement> measurements, Set<String> names, Duration maxAge, Instant now) {
    List<NodeUsage> usable = new ArrayList<>();
    Map<Fault, Set<String>> faults = new TreeMap<>();
    Set<String> missing = new TreeSet<>(names);
    for (Measurement measurement : measurements) {
      missing.remove(measurement.node());
      Optional<Fault> fault = fault(measurement, maxAge, now);
      if (fault.isPresent()) {
        faults.computeIfAbsent(fault.get(), none -> new TreeSet<>()).add(measurement.node());
      } else {
        usable.add(usage(measurement, now));
      }
    }
    if (!missing.isEmpty()) {
      faults.put(Fault.MISSING, missing);
    }
    return new Result(usable, faults);
  }

  private Optional<Fault> fault(Measurement measurement, Duration maxAge, Instant now) {
    Optional<Node> node = nodes.apply(measurement.node());
    if (node.isEmpty()) {
      return Optional.of(Fault.UNKNOWN_NODE);
    }
    if (measurement.used().isEmpty()) {
      return Optional.of(Fault.MISSING);
    }
    if (!measurement.at().plus(maxAge).isAfter(now)) {
      return Optional.of(Fault.STALE);
    }
    for (Map.Entry<String, Double> used : measurement.used().entrySet()) {
      Optional<Fault> fault = fault(used.getValue(), capacity(node.get(), used.getKey()));
      if (fault.isPresent()) {
        return fault;
      }
    }
    return Optional.empty();
  }

  private static Optional<Fault> fault(double used, double capacity) {
    if (!Double.isFinite(used)) {
      return Optional.of(Fault.NOT_A_NUMBER);
    }
    if (used < 0) {
      return Optional.of(Fault.NEGATIVE);
    }
    return used > capacity * TOLERANCE ? Optional.of(Fault.LARGER_THAN_NODE) : Optional.empty();
  }

  /** Returns the node's capacity of a resource; infinity if the node does not report it. */
  private static double capacity(Node node, String resource) {
    Map<String, Quantity> capacity =
        node.getStatus() == null ? null : node.getStatus().getCapacity();
    Quantity quantity = capacity == null ? null : capacity.get(resource);
    return quantity == null
        ? Double.POSITIVE_INFINITY
        : quantity.getNumericalAmount().doubleValue();
  }

  /**
   * Returns the usage for the engine. A timestamp in the future, from a clock that is ahead, is
   * replaced with the current time.
   */
  private static NodeUsage usage(Measurement measurement, Instant now) {
    Map<String, Long> amounts = new HashMap<>();
    measurement
        .used()
        .forEach(
            (resource, used) ->
                amounts.put(
                    resource,
                    Math.round(resource.equals(ResourceAmounts.CPU) ? used * 1000 : used)));
    Instant at = measurement.at().isAfter(now) ? now : measurement.at();
    return new NodeUsage(measurement.node(), at, measurement.window(), ResourceAmounts.of(amounts));
  }
}

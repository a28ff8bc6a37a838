package io.berth.engine.devices;

import io.berth.engine.model.NodeModel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** The slices of a pool, of all generations. */
final class DevicePool {
  /** A slice with its devices. */
  record Part(DeviceSlice slice, List<KnownDevice> devices) {
    boolean hasCounters() {
      return !slice.counters().isEmpty();
    }
  }

  private final PoolId id;
  private final TreeMap<String, Part> parts = new TreeMap<>();

  DevicePool(PoolId id) {
    this.id = id;
  }

  void put(Part part) {
    parts.put(part.slice().name(), part);
  }

  void remove(String slice) {
    parts.remove(slice);
  }

  boolean isEmpty() {
    return parts.isEmpty();
  }

  Iterable<Part> parts() {
    return parts.values();
  }

  /** Returns the names of the nodes that its slices name. */
  Set<String> nodeNames() {
    Set<String> names = new TreeSet<>();
    for (Part part : parts.values()) {
      if (part.slice().reach() instanceof DeviceReach.OneNode(String nodeName)) {
        names.add(nodeName);
      }
    }
    return names;
  }

  /** Returns whether nodes may reach its devices that none of its slices names. */
  boolean isOpen() {
    for (Part part : parts.values()) {
      if (!part.hasCounters() && !(part.slice().reach() instanceof DeviceReach.OneNode)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the pool as a node sees it; absent if it sees nothing of it. */
  Optional<PoolOnNode> on(NodeModel node) {
    return seenThrough(part -> part.hasCounters() || targets(part.slice(), node));
  }

  /**
   * Returns the pool as nodes see it that reach none of its devices: they see its counters, and so
   * whether it is complete and valid.
   */
  Optional<PoolOnNode> elsewhere() {
    return seenThrough(Part::hasCounters);
  }

  private static boolean targets(DeviceSlice slice, NodeModel node) {
    if (!(slice.reach() instanceof DeviceReach.NoNodes)) {
      return slice.reach().includes(node);
    }
    return slice.perDevice()
        && slice.devices().stream().anyMatch(device -> device.reach().includes(node));
  }

  private Optional<PoolOnNode> seenThrough(Predicate<Part> isSeen) {
    List<Part> seen = new ArrayList<>();
    long generation = Long.MIN_VALUE;
    for (Part part : parts.values()) {
      if (isSeen.test(part) && part.slice().generation() >= generation) {
        if (part.slice().generation() > generation) {
          seen.clear();
          generation = part.slice().generation();
        }
        seen.add(part);
      }
    }
    if (seen.isEmpty()) {
      return Optional.empty();
    }
    long wanted = seen.getFirst().slice().slicesInPool();
    if (seen.size() == wanted) {
      return Optional.of(build(seen, List.of()));
    }
    List<Part> rest = new ArrayList<>();
    for (Part part : parts.values()) {
      if (part.slice().generation() > generation) {
        return Optional.empty(); // The driver is replacing what the node sees.
      }
      if (part.slice().generation() == generation && !seen.contains(part)) {
        rest.add(part);
      }
    }
    return Optional.of(
        seen.size() + rest.size() == wanted
            ? build(seen, rest)
            : PoolOnNode.unusable(id, PoolOnNode.State.INCOMPLETE));
  }

  private PoolOnNode build(List<Part> seen, List<Part> rest) {
    List<CounterSet> counters = new ArrayList<>();
    List<KnownDevice> devices = new ArrayList<>();
    Set<String> setNames = new HashSet<>();
    Set<String> deviceNames = new HashSet<>();
    for (Part part : seen) {
      for (CounterSet set : part.slice().counters()) {
        if (!setNames.add(set.name())) {
          return PoolOnNode.unusable(id, PoolOnNode.State.INVALID);
        }
        counters.add(set);
      }
      if (!part.hasCounters()) {
        for (KnownDevice device : part.devices()) {
          if (!deviceNames.add(device.device().name())) {
            return PoolOnNode.unusable(id, PoolOnNode.State.INVALID);
          }
          devices.add(device);
        }
      }
    }
    PoolOnNode.Counters numbered = PoolOnNode.Counters.of(counters);
    List<KnownDevice> others = new ArrayList<>();
    rest.forEach(part -> others.addAll(part.devices()));
    boolean valid =
        seen.stream().allMatch(part -> namesKnownCounters(part.devices(), numbered))
            && namesKnownCounters(others, numbered);
    return valid
        ? new PoolOnNode(id, PoolOnNode.State.USABLE, devices, others, numbered)
        : PoolOnNode.unusable(id, PoolOnNode.State.INVALID);
  }

  private static boolean namesKnownCounters(
      List<KnownDevice> devices, PoolOnNode.Counters counters) {
    for (KnownDevice device : devices) {
      for (CounterSet use : device.device().uses()) {
        if (!counters.numbers().containsKey(use.name())) {
          return false;
        }
        for (String counter : use.counters().keySet()) {
          if (counters.numberOf(use.name(), counter) < 0) {
            return false;
          }
        }
      }
    }
    return true;
  }
}

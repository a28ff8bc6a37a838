package io.berth.operator.sharing;

import io.berth.engine.model.PodRef;
import io.berth.engine.model.ResourceAmounts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Selects as few pods as possible whose eviction makes a node's pods fit its allocatable resources
 * again.
 */
final class Overcommit {

  private Overcommit() {}

  /**
   * A pod that uses resources of a node.
   *
   * @param ref the pod
   * @param held the resources that it uses
   * @param boundAt the time at which it was bound
   * @param evictable whether it may be evicted in favor of others
   */
  record Resident(PodRef ref, ResourceAmounts held, Instant boundAt, boolean evictable) {}

  /**
   * Returns the pods to evict, youngest first. Empty if all pods fit, and also if evicting every
   * evictable pod would not make them fit, because such evictions would be pointless.
   *
   * @param allocatable the node's allocatable resources, including {@code pods}
   * @param residents all pods of the node that are neither finished nor terminating
   */
  static List<Resident> cure(ResourceAmounts allocatable, List<Resident> residents) {
    Map<String, Long> excess = excess(allocatable, residents);
    if (fits(excess)) {
      return List.of();
    }
    List<Resident> youngestFirst =
        residents.stream()
            .filter(Resident::evictable)
            .sorted(
                Comparator.comparing(Resident::boundAt)
                    .reversed()
                    .thenComparing(resident -> resident.ref().toString()))
            .toList();
    List<Resident> chosen = new ArrayList<>();
    for (Resident resident : youngestFirst) {
      if (relieves(excess, resident)) {
        change(excess, resident, -1);
        chosen.add(resident);
      }
      if (fits(excess)) {
        return reprieved(excess, chosen);
      }
    }
    return List.of();
  }

  /** Keeps pods, oldest first, whose eviction later choices have made unnecessary. */
  private static List<Resident> reprieved(Map<String, Long> excess, List<Resident> chosen) {
    List<Resident> leaving = new ArrayList<>(chosen);
    for (Resident resident : chosen.reversed()) {
      change(excess, resident, 1);
      if (fits(excess)) {
        leaving.remove(resident);
      } else {
        change(excess, resident, -1);
      }
    }
    return leaving;
  }

  /** Returns the excess of each resource over the allocatable amount; negative if some is free. */
  private static Map<String, Long> excess(ResourceAmounts allocatable, List<Resident> residents) {
    Map<String, Long> excess = new HashMap<>();
    excess.put(ResourceAmounts.PODS, residents.size() - allocatable.amountOf(ResourceAmounts.PODS));
    for (Resident resident : residents) {
      ResourceAmounts held = resident.held();
      for (int i = 0; i < held.size(); i++) {
        String name = held.name(i);
        excess.putIfAbsent(name, -allocatable.amountOf(name));
        excess.merge(name, held.amount(i), Long::sum);
      }
    }
    return excess;
  }

  private static boolean fits(Map<String, Long> excess) {
    return excess.values().stream().allMatch(over -> over <= 0);
  }

  private static boolean relieves(Map<String, Long> excess, Resident resident) {
    if (excess.getOrDefault(ResourceAmounts.PODS, 0L) > 0) {
      return true;
    }
    ResourceAmounts held = resident.held();
    for (int i = 0; i < held.size(); i++) {
      if (held.amount(i) > 0 && excess.getOrDefault(held.name(i), 0L) > 0) {
        return true;
      }
    }
    return false;
  }

  private static void change(Map<String, Long> excess, Resident resident, int sign) {
    excess.merge(ResourceAmounts.PODS, (long) sign, Long::sum);
    ResourceAmounts held = resident.held();
    for (int i = 0; i < held.size(); i++) {
      excess.merge(held.name(i), sign * held.amount(i), Long::sum);
    }
  }
}

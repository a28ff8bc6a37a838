package io.berth.operator.sharing;

import io.berth.engine.PodRef;
import io.berth.engine.model.ResourceAmounts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The pods whose eviction makes a node's pods fit its allocatable again: as few as will do. */
final class Overcommit {

  private Overcommit() {}

  /**
   * A pod that holds room on a node.
   *
   * @param boundAt when it was bound
   * @param evictable whether it may be evicted for others' sake
   */
  record Resident(PodRef ref, ResourceAmounts held, Instant boundAt, boolean evictable) {}

  /**
   * The pods to evict, the youngest first. Empty where all fit, and where evicting every pod that
   * may be would not make them fit: an eviction that cures nothing is not made.
   *
   * @param allocatable what the node offers, {@code pods} included
   * @param residents all pods of the node that are neither finished nor on their way out
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

  /** Lets pods stay, the oldest first, that later choices have made superfluous. */
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

  /** Returns the excess of each resource over what is allocatable; negative if some is free. */
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

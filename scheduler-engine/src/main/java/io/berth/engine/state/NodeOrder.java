package io.berth.engine.state;

import io.berth.engine.model.NodeModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The order in which kube-scheduler visits nodes: one of each zone in turn, with zones, and nodes
 * within a zone, in order of arrival. A search that ends early has then visited all zones evenly.
 */
public final class NodeOrder {
  private static final String ZONE = "topology.kubernetes.io/zone";
  private static final String REGION = "topology.kubernetes.io/region";
  private static final String OLD_ZONE = "failure-domain.beta.kubernetes.io/zone";
  private static final String OLD_REGION = "failure-domain.beta.kubernetes.io/region";

  /** A zone and its region: zones of several regions may have the same name. */
  private record Zone(String region, String name) {}

  private final Map<Zone, Set<Integer>> slotsByZone = new LinkedHashMap<>();
  private int[] slots = {};
  private boolean changed;

  void add(int slot, NodeModel node) {
    slotsByZone.computeIfAbsent(zoneOf(node), zone -> new LinkedHashSet<>()).add(slot);
    changed = true;
  }

  void remove(int slot, NodeModel node) {
    Zone zone = zoneOf(node);
    Set<Integer> inZone = slotsByZone.get(zone);
    if (inZone != null && inZone.remove(slot) && inZone.isEmpty()) {
      slotsByZone.remove(zone);
    }
    changed = true;
  }

  void update(int slot, NodeModel before, NodeModel after) {
    if (!zoneOf(before).equals(zoneOf(after))) {
      remove(slot, before);
      add(slot, after);
    }
  }

  private static Zone zoneOf(NodeModel node) {
    Map<String, String> labels = node.labels();
    return new Zone(
        labels.getOrDefault(REGION, labels.getOrDefault(OLD_REGION, "")),
        labels.getOrDefault(ZONE, labels.getOrDefault(OLD_ZONE, "")));
  }

  /** Returns the slots of all nodes in this order; callers must not modify it. */
  public int[] slots() {
    if (changed) {
      changed = false;
      int nodes = slotsByZone.values().stream().mapToInt(Set::size).sum();
      slots = new int[nodes];
      List<Iterator<Integer>> zones = new ArrayList<>();
      slotsByZone.values().forEach(inZone -> zones.add(inZone.iterator()));
      int at = 0;
      while (at < nodes) {
        for (Iterator<Integer> zone : zones) {
          if (zone.hasNext()) {
            slots[at++] = zone.next();
          }
        }
      }
    }
    return slots;
  }

  @Override
  public String toString() {
    return Arrays.toString(slots());
  }
}

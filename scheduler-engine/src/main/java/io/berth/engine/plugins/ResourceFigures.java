package io.berth.engine.plugins;

import io.berth.engine.framework.PodShape;
import io.berth.engine.model.PodRequests;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.ResourceNames;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The amounts that a resource score reads from a node, for one kind of pod: for each resource, the
 * allocatable amount, the allocated amount, and the allocated amount with the pod.
 */
final class ResourceFigures {
  private final NodeTable nodes;
  private final ResourceNames names;
  private final List<WeightedResource> resources;
  private final long[] asked;
  private final boolean[] skipped;
  private final boolean[] scoredCpu;
  private final boolean[] scoredMemory;

  /** The amounts that nodes offer by resource and slot; null for a resource that does not count. */
  private final long[] @Nullable [] offered;

  /** The amounts that the nodes' pods take, by resource and slot. */
  private final long[] @Nullable [] taken;

  final long[] allocatable;
  final long[] allocated;
  final long[] requested;

  /**
   * Creates the figures for pods with these requests.
   *
   * @param asked the requests by position in {@code resources}, see {@link #asked}
   * @param countMissing whether containers without a CPU or memory request count with defaults
   */
  ResourceFigures(
      ClusterState state, List<WeightedResource> resources, long[] asked, boolean countMissing) {
    this.nodes = state.nodes();
    this.names = state.resources();
    this.resources = resources;
    this.asked = asked;
    int size = resources.size();
    this.skipped = new boolean[size];
    this.scoredCpu = new boolean[size];
    this.scoredMemory = new boolean[size];
    this.offered = new long[size][];
    this.taken = new long[size][];
    this.allocatable = new long[size];
    this.allocated = new long[size];
    this.requested = new long[size];
    for (int i = 0; i < size; i++) {
      String name = resources.get(i).name();
      scoredCpu[i] = countMissing && name.equals(ResourceAmounts.CPU);
      scoredMemory[i] = countMissing && name.equals(ResourceAmounts.MEMORY);
      skipped[i] = asked[i] == 0 && !isNative(name);
    }
  }

  /** Returns the requests of a pod, for each resource. */
  static long[] asked(PodShape shape, List<WeightedResource> resources, boolean countMissing) {
    PodRequests requests = shape.spec().requests();
    long[] asked = new long[resources.size()];
    for (int i = 0; i < asked.length; i++) {
      String name = resources.get(i).name();
      if (countMissing && name.equals(ResourceAmounts.CPU)) {
        asked[i] = requests.scoredMilliCpu();
      } else if (countMissing && name.equals(ResourceAmounts.MEMORY)) {
        asked[i] = requests.scoredMemoryBytes();
      } else {
        asked[i] = (countMissing ? requests.scored() : requests.asked()).amountOf(name);
      }
    }
    return asked;
  }

  private static boolean isNative(String name) {
    return name.equals(ResourceAmounts.CPU)
        || name.equals(ResourceAmounts.MEMORY)
        || name.equals(ResourceAmounts.EPHEMERAL_STORAGE);
  }

  /**
   * Looks up the columns of the resources; call it before {@link #read} when nodes may have
   * changed.
   */
  void locate() {
    for (int i = 0; i < offered.length; i++) {
      int column = names.idOf(resources.get(i).name());
      boolean counts = column >= 0 && !skipped[i];
      offered[i] = counts ? nodes.allocatable(column) : null;
      if (scoredCpu[i]) {
        taken[i] = nodes.scoredMilliCpu();
      } else if (scoredMemory[i]) {
        taken[i] = nodes.scoredMemory();
      } else {
        taken[i] = counts ? nodes.requested(column) : null;
      }
    }
  }

  /** Reads the amounts of one node. For a resource that does not count, all amounts are 0. */
  void read(int slot) {
    for (int i = 0; i < offered.length; i++) {
      long[] ofNodes = offered[i];
      long[] ofPods = taken[i];
      long amount = ofNodes == null || ofPods == null ? 0 : ofNodes[slot];
      allocatable[i] = amount;
      allocated[i] = amount == 0 ? 0 : ofPods[slot];
      requested[i] = amount == 0 ? 0 : allocated[i] + asked[i];
    }
  }
}

package io.berth.engine.devices;

import io.berth.engine.model.NodeModel;
import java.util.ArrayList;
import java.util.List;

/** The pools and devices that a node sees, in the order in which the search visits them. */
final class NodeDevices {
  private final NodeModel node;
  private final List<PoolOnNode> pools;
  private final List<KnownDevice> devices = new ArrayList<>();
  private final List<PoolOnNode> poolOf = new ArrayList<>();

  /** The first device of each pool, and at the end the number of devices. */
  private final int[] firstOf;

  NodeDevices(NodeModel node, List<PoolOnNode> pools) {
    this.node = node;
    this.pools = List.copyOf(pools);
    this.firstOf = new int[pools.size() + 1];
    for (int i = 0; i < pools.size(); i++) {
      firstOf[i] = devices.size();
      for (KnownDevice device : pools.get(i).devices()) {
        devices.add(device);
        poolOf.add(pools.get(i));
      }
    }
    firstOf[pools.size()] = devices.size();
  }

  NodeModel node() {
    return node;
  }

  List<PoolOnNode> pools() {
    return pools;
  }

  /** Returns the number of devices in usable pools. */
  int size() {
    return devices.size();
  }

  KnownDevice device(int number) {
    return devices.get(number);
  }

  PoolOnNode poolOf(int number) {
    return poolOf.get(number);
  }

  /** Returns the number of a pool's first device. */
  int firstOf(int pool) {
    return firstOf[pool];
  }

  /** Returns whether the node reaches a device. */
  boolean reaches(int number) {
    KnownDevice known = devices.get(number);
    return !known.slice().perDevice() || known.device().reach().includes(node);
  }

  boolean hasInvalidPool() {
    for (PoolOnNode pool : pools) {
      if (pool.state() == PoolOnNode.State.INVALID) {
        return true;
      }
    }
    return false;
  }
}

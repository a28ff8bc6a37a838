package io.berth.engine.devices;

import io.berth.engine.model.NodeModel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The published slices by pool, and the pools that each node sees. */
final class DevicePools {
  private final Map<DeviceId, DeviceUse> uses = new HashMap<>();
  private final Map<DeviceId, Integer> published = new HashMap<>();
  private final TreeMap<PoolId, DevicePool> pools = new TreeMap<>();
  private final Map<String, Set<PoolId>> byNode = new HashMap<>();

  /** The pools that nodes may see which none of their slices names. */
  private final TreeSet<PoolId> open = new TreeSet<>();

  /** The pools that are incomplete or invalid for nodes that see only their counters. */
  private final TreeMap<PoolId, PoolOnNode> troubled = new TreeMap<>();

  private final Map<String, NodeDevices> views = new HashMap<>();
  private final DeviceChanges changes;

  DevicePools(DeviceChanges changes) {
    this.changes = changes;
  }

  /** Adds or replaces a slice. */
  void put(DeviceSlice slice) {
    List<KnownDevice> devices = new ArrayList<>(slice.devices().size());
    for (Device device : slice.devices()) {
      DeviceId id = new DeviceId(slice.driver(), slice.pool(), device.name());
      published.merge(id, 1, Integer::sum);
      devices.add(
          new KnownDevice(slice, device, id, uses.computeIfAbsent(id, absent -> new DeviceUse())));
    }
    change(slice.poolId(), pool -> pool.put(new DevicePool.Part(slice, List.copyOf(devices))));
  }

  void remove(DeviceSlice slice) {
    change(slice.poolId(), pool -> pool.remove(slice.name()));
    for (Device device : slice.devices()) {
      DeviceId id = new DeviceId(slice.driver(), slice.pool(), device.name());
      published.computeIfPresent(id, (key, count) -> count == 1 ? null : count - 1);
      forgetUnused(id);
    }
  }

  private interface Edit {
    void apply(DevicePool pool);
  }

  private void change(PoolId id, Edit edit) {
    DevicePool pool = pools.computeIfAbsent(id, DevicePool::new);
    Set<String> names = new HashSet<>(pool.nodeNames());
    boolean all = open.contains(id) || troubled.containsKey(id);
    for (String name : names) {
      byNode.computeIfPresent(name, (node, ids) -> ids.remove(id) && ids.isEmpty() ? null : ids);
    }
    open.remove(id);
    troubled.remove(id);
    edit.apply(pool);
    if (pool.isEmpty()) {
      pools.remove(id);
    }
    for (String name : pool.nodeNames()) {
      names.add(name);
      byNode.computeIfAbsent(name, absent -> new TreeSet<>()).add(id);
    }
    if (pool.isOpen()) {
      open.add(id);
    }
    pool.elsewhere().filter(seen -> !seen.isUsable()).ifPresent(seen -> troubled.put(id, seen));
    if (all || open.contains(id) || troubled.containsKey(id)) {
      views.clear();
      changes.onAllNodes();
    } else {
      names.forEach(this::changed);
    }
  }

  private void changed(String nodeName) {
    views.remove(nodeName);
    changes.onNode(nodeName);
  }

  /** Returns the devices that a node sees. */
  NodeDevices on(NodeModel node) {
    NodeDevices view = views.get(node.name());
    if (view == null || !view.node().labels().equals(node.labels())) {
      view = new NodeDevices(node, poolsOn(node));
      views.put(node.name(), view);
    }
    return view;
  }

  /** Drops what is known of a node. */
  void forgetNode(String name) {
    views.remove(name);
  }

  private List<PoolOnNode> poolsOn(NodeModel node) {
    TreeSet<PoolId> seen = new TreeSet<>(open);
    seen.addAll(byNode.getOrDefault(node.name(), Set.of()));
    seen.addAll(troubled.keySet());
    List<PoolOnNode> first = new ArrayList<>();
    List<PoolOnNode> withConditions = new ArrayList<>();
    for (PoolId id : seen) {
      pools
          .get(id)
          .on(node)
          .ifPresent(pool -> (pool.hasBindingConditions() ? withConditions : first).add(pool));
    }
    first.addAll(withConditions);
    return first;
  }

  /** Counts the devices of an allocation as in use ({@code sign} 1), or no more (-1). */
  void count(DeviceAllocation allocation, int sign) {
    Set<PoolId> touched = new HashSet<>();
    for (DeviceAllocation.Result result : allocation.results()) {
      if (!result.adminAccess()) {
        DeviceId id = result.device();
        uses.computeIfAbsent(id, absent -> new DeviceUse()).count(result, sign);
        forgetUnused(id);
        touched.add(new PoolId(id.driver(), id.pool()));
      }
    }
    for (PoolId id : touched) {
      usedOtherwise(id);
    }
  }

  private void usedOtherwise(PoolId id) {
    DevicePool pool = pools.get(id);
    if (pool == null) {
      return;
    }
    if (open.contains(id)) {
      changes.onAllNodes();
    } else {
      pool.nodeNames().forEach(changes::onNode);
    }
  }

  private void forgetUnused(DeviceId id) {
    DeviceUse use = uses.get(id);
    if (use != null && !use.isAllocated() && !published.containsKey(id)) {
      uses.remove(id);
    }
  }

  /** Returns the number of devices that are published or in use. */
  int size() {
    return uses.size();
  }

  boolean isEmpty() {
    return pools.isEmpty();
  }
}

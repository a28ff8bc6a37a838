package io.berth.engine.state;

import io.berth.engine.devices.DeviceChanges;

/** Logs the nodes whose devices, or their use, changed. */
record ChangedDevices(NodeTable nodes, ChangeLog log) implements DeviceChanges {
  @Override
  public void onNode(String nodeName) {
    int slot = nodes.slotOf(nodeName);
    if (slot >= 0) {
      log.add(slot);
    }
  }

  @Override
  public void onAllNodes() {
    nodes.alive().forEach(log::add);
  }
}

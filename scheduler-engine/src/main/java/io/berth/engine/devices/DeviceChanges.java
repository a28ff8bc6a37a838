package io.berth.engine.devices;

/** A listener for changes of the devices that nodes see, or of their use. */
public interface DeviceChanges {
  /** The devices of the node with this name changed; it may not exist. */
  void onNode(String nodeName);

  /** The devices of any node may have changed. */
  void onAllNodes();
}

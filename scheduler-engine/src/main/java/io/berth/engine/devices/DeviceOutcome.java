package io.berth.engine.devices;

import java.util.List;

/** The result of a search for devices on one node. */
public sealed interface DeviceOutcome {
  /** The reason for a node on which no devices are free that satisfy all claims. */
  String NONE_FREE = "cannot allocate all claims";

  /** The claims can be allocated, in this way. */
  record Allocated(List<DeviceAllocation> allocations) implements DeviceOutcome {
    public Allocated {
      allocations = List.copyOf(allocations);
    }
  }

  /**
   * The claims cannot be allocated on this node.
   *
   * @param error whether something is wrong with a claim or a class
   */
  record Refused(String reason, boolean error) implements DeviceOutcome {}

  /** Returns a refusal for the node as it is. */
  static DeviceOutcome unresolvable(String reason) {
    return new Refused(reason, false);
  }

  /** Returns a refusal because something is wrong with a claim or a class. */
  static DeviceOutcome error(String reason) {
    return new Refused(reason, true);
  }
}

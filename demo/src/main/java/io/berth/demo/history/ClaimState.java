package io.berth.demo.history;

import java.util.Set;

/**
 * The state of a resource claim.
 *
 * @param devices the devices that it has for itself, as "driver/pool/device"; without those that
 *     are shared, and those to which it has administrative access
 * @param users the UIDs of the pods that it is reserved for
 */
public record ClaimState(String namespace, String name, Set<String> devices, Set<String> users) {
  public ClaimState {
    devices = Set.copyOf(devices);
    users = Set.copyOf(users);
  }

  String title() {
    return namespace + "/" + name;
  }
}

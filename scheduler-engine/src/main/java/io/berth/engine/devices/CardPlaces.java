package io.berth.engine.devices;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The place of a card on its node, by the attributes that drivers publish. Kubernetes defines
 * {@code resource.kubernetes.io/pcieRoot}; the names of the others are those that drivers use.
 */
final class CardPlaces {
  private static final List<String> LINK_GROUP = List.of("nvlinkgroup", "nvlink", "linkgroup");
  private static final List<String> NUMA_NODE = List.of("numanode", "numa", "pcieroot");

  private CardPlaces() {}

  /** Returns the group of cards with fast links between them. */
  static Optional<DeviceAttribute> linkGroup(Device device) {
    return first(device, LINK_GROUP, DeviceAttribute.class);
  }

  /** Returns the NUMA node, or else the PCIe root. */
  static Optional<DeviceAttribute> numaNode(Device device) {
    return first(device, NUMA_NODE, DeviceAttribute.class);
  }

  /**
   * Returns the first attribute of a type that has one of these names, by the order of the names,
   * and then of the domains.
   *
   * @param names without their domain, in lower case
   */
  static <T extends DeviceAttribute> Optional<T> first(
      Device device, List<String> names, Class<T> type) {
    Map<String, DeviceAttribute> sorted = new TreeMap<>(device.attributes());
    for (String wanted : names) {
      for (Map.Entry<String, DeviceAttribute> attribute : sorted.entrySet()) {
        if (DeviceModel.localName(attribute.getKey()).equals(wanted)
            && type.isInstance(attribute.getValue())) {
          return Optional.of(type.cast(attribute.getValue()));
        }
      }
    }
    return Optional.empty();
  }
}

package io.berth.engine.devices;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A kind of device, as far as it says which claims such devices serve.
 *
 * @param card the model of the card that it is, or is a part of
 * @param driver the name of the driver
 * @param content the attributes that devices of one kind share, and the capacities
 * @param size the size in thousandths of the card
 */
record DeviceModel(String card, String driver, Device content, int size) {
  /** The attributes, without their domain and in lower case, that name the model of a card. */
  private static final List<String> NAMES = List.of("productname", "model");

  /**
   * The attributes, in the same form, that devices of one kind share. Others, such as a UUID or a
   * bus address, may differ from device to device.
   */
  private static final Set<String> SHARED =
      Set.of(
          "productname",
          "model",
          "type",
          "profile",
          "brand",
          "family",
          "architecture",
          "cudacomputecapability");

  static DeviceModel of(KnownDevice known, String card, int size) {
    Device device = known.device();
    Map<String, DeviceAttribute> attributes = new TreeMap<>();
    device
        .attributes()
        .forEach(
            (name, value) -> {
              if (SHARED.contains(localName(name))) {
                attributes.put(name, value);
              }
            });
    Device content = Device.of("", attributes, device.capacity(), List.of(), device.shared());
    return new DeviceModel(card, known.id().driver(), content, size);
  }

  /** Returns the model of a device's card: what its driver calls it, or else the driver's name. */
  static String cardOf(KnownDevice known) {
    return CardPlaces.first(known.device(), NAMES, DeviceAttribute.Text.class)
        .map(DeviceAttribute.Text::value)
        .orElseGet(() -> known.id().driver());
  }

  /** Returns the name of an attribute without its domain, in lower case. */
  static String localName(String attribute) {
    return attribute.substring(attribute.indexOf('/') + 1).toLowerCase(Locale.ROOT);
  }
}

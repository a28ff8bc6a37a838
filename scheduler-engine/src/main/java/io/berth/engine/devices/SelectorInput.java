package io.berth.engine.devices;

import java.util.AbstractMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The CEL value of a device. */
final class SelectorInput {
  /** Thrown if an attribute has no CEL value. */
  static final class AttributeException extends Exception {
    private static final long serialVersionUID = 1;

    AttributeException(String message) {
      super(message);
    }
  }

  /**
   * Values by domain and name. A domain that the device does not have is there when it is read, and
   * empty, so that an expression can test for its names.
   */
  static final class ByDomain extends AbstractMap<String, Object> {
    private final Map<String, Object> domains = new HashMap<>();

    private void add(String qualifiedName, String driver, Object value) {
      int slash = qualifiedName.indexOf('/');
      String domain = slash < 0 ? driver : qualifiedName.substring(0, slash);
      @SuppressWarnings("unchecked") // all values are such maps
      Map<String, Object> names =
          (Map<String, Object>) domains.computeIfAbsent(domain, absent -> new HashMap<>());
      names.put(qualifiedName.substring(slash + 1), value);
    }

    boolean has(Object domain) {
      return domains.containsKey(domain);
    }

    @Override
    public Set<Entry<String, Object>> entrySet() {
      return domains.entrySet();
    }

    @Override
    public @Nullable Object get(Object domain) {
      return domain instanceof String ? domains.getOrDefault(domain, Map.of()) : null;
    }

    @Override
    public boolean containsKey(Object domain) {
      return domain instanceof String;
    }
  }

  private SelectorInput() {}

  static Map<String, Object> of(String driver, Device device) throws AttributeException {
    ByDomain attributes = new ByDomain();
    for (Map.Entry<String, DeviceAttribute> attribute : device.attributes().entrySet()) {
      attributes.add(attribute.getKey(), driver, value(attribute.getKey(), attribute.getValue()));
    }
    ByDomain capacity = new ByDomain();
    device
        .capacity()
        .forEach(
            (name, of) -> capacity.add(name, driver, new SelectorFunctions.Amount(of.value())));
    return Map.of(
        "driver", driver,
        "allowMultipleAllocations", device.shared(),
        "attributes", attributes,
        "capacity", capacity);
  }

  private static Object value(String name, DeviceAttribute attribute) throws AttributeException {
    return switch (attribute) {
      case DeviceAttribute.Text(String text) -> text;
      case DeviceAttribute.Int(long number) -> number;
      case DeviceAttribute.Bool(boolean truth) -> truth;
      case DeviceAttribute.Version(String text) ->
          SemanticVersion.read(text)
              .orElseThrow(
                  () ->
                      new AttributeException(
                          "attribute " + name + ": parse semantic version: \"" + text + "\""));
      case DeviceAttribute.Unsupported() ->
          throw new AttributeException("attribute " + name + ": unsupported attribute value");
    };
  }
}

package io.berth.sandbox.protobuf;

/**
 * One field of a message.
 *
 * @param json its name in JSON; {@code .} for a message whose fields JSON inlines
 * @param shape how often it is there and when JSON shows it
 * @param type a scalar's name or another message's
 */
record WireField(String json, Shape shape, String type) {
  enum Shape {
    /** One value, left out of JSON if it is zero. */
    PLAIN,
    /** One value, in JSON even if it is zero. */
    SHOWN,
    /** One value or none: in JSON if it is on the wire. */
    OPTIONAL,
    LIST,
    /** From text to values. */
    MAP
  }

  static WireField parse(String json, String written) {
    if (written.startsWith("[]")) {
      return new WireField(json, Shape.LIST, written.substring(2));
    }
    if (written.startsWith("map:")) {
      return new WireField(json, Shape.MAP, written.substring(4));
    }
    return switch (written.charAt(0)) {
      case '+' -> new WireField(json, Shape.SHOWN, written.substring(1));
      case '*' -> new WireField(json, Shape.OPTIONAL, written.substring(1));
      default -> new WireField(json, Shape.PLAIN, written);
    };
  }

  boolean inlined() {
    return json.equals(".");
  }

  boolean isMessage() {
    return type.indexOf('.') >= 0;
  }
}

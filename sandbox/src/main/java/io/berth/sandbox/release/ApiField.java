package io.berth.sandbox.release;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One field of an API type.
 *
 * @param number in protobuf messages
 * @param json its name in JSON; {@code .} for a type whose fields JSON inlines
 * @param shape how often it is there and when JSON shows it
 * @param type a scalar's name or another type's
 * @param required whether clients must give it
 * @param traits its other traits by name, for instance {@code list} with {@code map}
 */
public record ApiField(
    int number,
    String json,
    Shape shape,
    String type,
    boolean required,
    Map<String, String> traits) {

  /** The number of values that a field has, and when JSON shows them. */
  public enum Shape {
    /** One value, left out of JSON if it is zero. */
    PLAIN,
    /** One value, in JSON even if it is zero. */
    SHOWN,
    /** One value or none: in JSON if it is given. */
    OPTIONAL,
    LIST,
    /** From text to values. */
    MAP
  }

  /** Reads a line of the table. */
  static ApiField parse(String line) {
    List<String> words = List.of(line.strip().split(" ", -1));
    Map<String, String> traits = new HashMap<>();
    for (String word : words.subList(3, words.size())) {
      int equals = word.indexOf('=');
      if (equals > 0) {
        traits.put(word.substring(0, equals), word.substring(equals + 1));
      }
    }
    Shape shape = shapeOf(words.get(2));
    return new ApiField(
        Integer.parseInt(words.getFirst()),
        words.get(1),
        shape,
        bare(words.get(2), shape),
        words.contains("required"),
        Map.copyOf(traits));
  }

  private static Shape shapeOf(String written) {
    if (written.startsWith("[]")) {
      return Shape.LIST;
    }
    if (written.startsWith("map:")) {
      return Shape.MAP;
    }
    return switch (written.charAt(0)) {
      case '+' -> Shape.SHOWN;
      case '*' -> Shape.OPTIONAL;
      default -> Shape.PLAIN;
    };
  }

  private static String bare(String written, Shape shape) {
    return switch (shape) {
      case PLAIN -> written;
      case SHOWN, OPTIONAL -> written.substring(1);
      case LIST -> written.substring("[]".length());
      case MAP -> written.substring("map:".length());
    };
  }

  /** Returns whether JSON writes the fields of this field's type in its place. */
  public boolean inlined() {
    return json.equals(".");
  }

  /** Returns a trait that has a value. */
  public Optional<String> trait(String name) {
    return Optional.ofNullable(traits.get(name));
  }
}

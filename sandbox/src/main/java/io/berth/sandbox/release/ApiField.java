package io.berth.sandbox.release;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A field of an API type.
 *
 * @param number field number in protobuf messages
 * @param json field name in JSON; {@code .} if the fields of its type are inlined
 * @param shape number of values, and whether zero values appear in JSON
 * @param type name of a scalar type or of another API type
 * @param required whether clients must set the field
 * @param traits other traits by name, for example {@code map} for {@code list}
 */
public record ApiField(
    int number,
    String json,
    Shape shape,
    String type,
    boolean required,
    Map<String, String> traits) {

  /** The number of values of a field, and whether zero values appear in JSON. */
  public enum Shape {
    /** One value, omitted from JSON if it is zero. */
    PLAIN,
    /** One value, included in JSON even if it is zero. */
    SHOWN,
    /** An optional value, included in JSON if it is set. */
    OPTIONAL,
    LIST,
    /** A map from strings to values. */
    MAP
  }

  /** Parses a line of the table. */
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

  /** Returns whether the fields of this field's type are inlined in JSON. */
  public boolean inlined() {
    return json.equals(".");
  }

  /** Returns the value of a trait; empty if the field does not have it. */
  public Optional<String> trait(String name) {
    return Optional.ofNullable(traits.get(name));
  }
}

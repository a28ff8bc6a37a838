package io.berth.webhook.legacy;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.schema.NearestName;
import java.util.Map;
import java.util.function.BiConsumer;

/** Checks that an object of a legacy policy has only known fields with values of the right type. */
final class LegacyFields {

  /** The type of a field's content. */
  enum FieldType {
    TEXT("a string"),
    WHOLE("an integer of at least 0 and less than 2^31"),
    TRUTH("true or false"),
    LIST("a list"),
    OBJECT("an object"),
    DURATION("a duration such as \"5s\", or an integer number of nanoseconds");

    private final String words;

    FieldType(String words) {
      this.words = words;
    }

    private boolean takes(JsonNode value) {
      return switch (this) {
        case TEXT -> value.isTextual();
        case WHOLE -> value.isInt() && value.intValue() >= 0;
        case TRUTH -> value.isBoolean();
        case LIST -> value.isArray();
        case OBJECT -> value.isObject();
        case DURATION ->
            value.isTextual() || (value.isIntegralNumber() && value.canConvertToLong());
      };
    }
  }

  private LegacyFields() {}

  /**
   * Checks one object.
   *
   * @param what the name of the object for messages, such as {@code an extender}
   * @param place the path of the object; empty for the policy itself
   * @param malformed receives the path and the message of each problem
   * @return whether it is an object and has no problem
   */
  static boolean check(
      JsonNode object,
      String what,
      String place,
      Map<String, FieldType> fields,
      BiConsumer<String, String> malformed) {
    if (!object.isObject()) {
      malformed.accept(place, "must be an object");
      return false;
    }
    boolean well = true;
    for (Map.Entry<String, JsonNode> entry : object.properties()) {
      String at = place.isEmpty() ? entry.getKey() : place + "." + entry.getKey();
      FieldType type = fields.get(entry.getKey());
      if (type == null) {
        malformed.accept(
            at,
            "is not a field of "
                + what
                + NearestName.question(entry.getKey(), fields.keySet().stream().sorted().toList()));
        well = false;
      } else if (!entry.getValue().isNull() && !type.takes(entry.getValue())) {
        malformed.accept(at, "must be " + type.words);
        well = false;
      }
    }
    return well;
  }
}

package io.berth.engine.framework;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.schema.DurationText;
import io.berth.crds.schema.NearestName;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.quantity.ExactQuantity;
import io.berth.engine.quantity.QuantityFormatException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of an algorithm in a policy, with typed access to its fields. Collects problems:
 * values of the wrong type or out of range and, when {@link #finish finished}, unknown fields.
 */
public final class Arguments {
  /** The maximum number of characters of a wrong value in a message. */
  private static final int LONGEST_SHOWN = 80;

  private final String path;
  private final Map<String, JsonNode> fields;
  private final BiConsumer<String, String> problems;
  private final Set<String> asked = new LinkedHashSet<>();

  /** Fields of the algorithm's other role, which are reported already. */
  private final Set<String> elsewhere = new HashSet<>();

  /**
   * Creates the arguments of one algorithm.
   *
   * @param path the path of the object in the policy, such as {@code spec.priorities[2].args}
   * @param problems receives the path of a field, and a message that says what is wrong and what is
   *     accepted
   */
  public Arguments(String path, Map<String, JsonNode> fields, BiConsumer<String, String> problems) {
    this.path = path;
    this.fields = fields;
    this.problems = problems;
  }

  /** Returns whether the field is present and not null. */
  public boolean has(String name) {
    asked.add(name);
    JsonNode value = fields.get(name);
    return value != null && !value.isNull();
  }

  private @Nullable JsonNode find(String name) {
    return has(name) ? fields.get(name) : null;
  }

  /** Returns an integer in this range; the default if it is absent or invalid. */
  public long integer(String name, long from, long to, long otherwise) {
    JsonNode value = find(name);
    if (value == null) {
      return otherwise;
    }
    if (!value.isIntegralNumber()
        || !value.canConvertToLong()
        || value.longValue() < from
        || value.longValue() > to) {
      wrong(name, value, "an integer from " + from + " to " + to);
      return otherwise;
    }
    return value.longValue();
  }

  /** Returns a number from 0 to 1; the default if it is absent or invalid. */
  public double fraction(String name, double otherwise) {
    JsonNode value = find(name);
    if (value == null) {
      return otherwise;
    }
    if (!value.isNumber() || !(value.doubleValue() >= 0 && value.doubleValue() <= 1)) {
      wrong(name, value, "a number from 0 to 1");
      return otherwise;
    }
    return value.doubleValue();
  }

  /** Returns a boolean; the default if it is absent or invalid. */
  public boolean bool(String name, boolean otherwise) {
    JsonNode value = find(name);
    if (value == null) {
      return otherwise;
    }
    if (!value.isBoolean()) {
      wrong(name, value, "true or false");
      return otherwise;
    }
    return value.booleanValue();
  }

  /** Returns a non-empty string; the default if it is absent or invalid. */
  public String text(String name, String otherwise) {
    JsonNode value = find(name);
    if (value == null) {
      return otherwise;
    }
    if (!value.isTextual() || value.textValue().isEmpty()) {
      wrong(name, value, "a non-empty string");
      return otherwise;
    }
    return value.textValue();
  }

  /**
   * Returns a duration such as {@code 90s}, {@code 3m} or {@code 1h}; the default if it is absent
   * or invalid.
   */
  public Duration duration(String name, Duration from, Duration to, Duration otherwise) {
    String text = text(name, "");
    if (text.isEmpty()) {
      return otherwise;
    }
    Optional<Duration> duration = DurationText.read(text);
    if (duration.isEmpty()
        || duration.get().compareTo(from) < 0
        || duration.get().compareTo(to) > 0) {
      problem(
          name,
          "must be a duration from %d s to %d s, such as 90s or 3m, but is \"%s\""
              .formatted(from.toSeconds(), to.toSeconds(), cut(text)));
      return otherwise;
    }
    return duration.get();
  }

  /** Returns one of these words; the default if the field is absent or has another value. */
  public String oneOf(String name, Collection<String> words, String otherwise) {
    String word = text(name, otherwise);
    if (!words.contains(word)) {
      problem(
          name,
          "\"" + word + "\" is not supported; accepted: " + NearestName.accepted(word, words));
      return otherwise;
    }
    return word;
  }

  /** Returns a list of strings; empty if it is absent. */
  public List<String> texts(String name) {
    List<String> texts = new ArrayList<>();
    JsonNode value = find(name);
    if (value == null) {
      return texts;
    }
    if (!value.isArray()) {
      wrong(name, value, "a list of strings");
      return texts;
    }
    for (JsonNode item : value) {
      if (item.isTextual() && !item.textValue().isEmpty()) {
        texts.add(item.textValue());
      } else {
        wrong(name, item, "a list of non-empty strings");
      }
    }
    return texts;
  }

  /** Returns a list of objects; empty if it is absent. Each must be {@link #finish finished}. */
  public List<Arguments> objects(String name) {
    List<Arguments> objects = new ArrayList<>();
    JsonNode value = find(name);
    if (value == null) {
      return objects;
    }
    if (!value.isArray()) {
      wrong(name, value, "a list of objects");
      return objects;
    }
    for (int i = 0; i < value.size(); i++) {
      JsonNode item = value.get(i);
      if (item.isObject()) {
        objects.add(new Arguments(at(name) + "[" + i + "]", fieldsOf(item), problems));
      } else {
        wrong(name + "[" + i + "]", item, "an object");
      }
    }
    return objects;
  }

  /** Returns an object; one without fields if it is absent. It must be {@link #finish finished}. */
  public Arguments object(String name) {
    JsonNode value = find(name);
    if (value != null && !value.isObject()) {
      wrong(name, value, "an object");
      value = null;
    }
    return new Arguments(at(name), value == null ? Map.of() : fieldsOf(value), problems);
  }

  /**
   * Returns amounts by resource, each a quantity such as {@code 100m}; the default if the field is
   * absent.
   */
  public ResourceAmounts amounts(String name, ResourceAmounts otherwise) {
    JsonNode value = find(name);
    if (value == null) {
      return otherwise;
    }
    if (!value.isObject()) {
      wrong(name, value, "an object of quantities by resource");
      return otherwise;
    }
    Map<String, Long> amounts = new HashMap<>();
    for (Map.Entry<String, JsonNode> entry : value.properties()) {
      try {
        ExactQuantity quantity = ExactQuantity.parse(entry.getValue().asText());
        boolean isCpu = entry.getKey().equals(ResourceAmounts.CPU);
        amounts.put(entry.getKey(), isCpu ? quantity.millis() : quantity.units());
      } catch (QuantityFormatException e) {
        problem(name + "." + entry.getKey(), String.valueOf(e.getMessage()));
      }
    }
    return ResourceAmounts.of(amounts);
  }

  private static Map<String, JsonNode> fieldsOf(JsonNode object) {
    Map<String, JsonNode> fields = new LinkedHashMap<>();
    object.properties().forEach(field -> fields.put(field.getKey(), field.getValue()));
    return fields;
  }

  /** Reports a field that only scores use, in the arguments of a filter. */
  public void isForScores(String name) {
    if (has(name)) {
      problem(name, "has no effect in spec.predicates: move it to spec.priorities");
    }
    asked.remove(name);
    elsewhere.add(name);
  }

  /** Reports a field that only filters use, in the arguments of a score. */
  public void isForFilters(String name) {
    if (has(name)) {
      problem(name, "has no effect in spec.priorities: move it to spec.predicates");
    }
    asked.remove(name);
    elsewhere.add(name);
  }

  /** Reports the fields that were not read; call it after all others were. */
  public void finish() {
    for (String name : fields.keySet()) {
      if (!asked.contains(name) && !elsewhere.contains(name)) {
        String accepted =
            asked.isEmpty()
                ? "no arguments are accepted here"
                : "accepted: " + NearestName.accepted(name, asked);
        problem(name, "unknown field; " + accepted);
      }
    }
  }

  /** Reports a problem of a field: what is wrong, and what is accepted. */
  public void problem(String name, String message) {
    problems.accept(at(name), message);
  }

  private void wrong(String name, JsonNode value, String expected) {
    problem(name, "must be " + expected + ", not " + cut(value.toString()));
  }

  private static String cut(String value) {
    return value.length() <= LONGEST_SHOWN ? value : value.substring(0, LONGEST_SHOWN) + "...";
  }

  private String at(String name) {
    return path + "." + name;
  }
}

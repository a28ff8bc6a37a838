package io.berth.webhook.argument;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.berth.crds.schema.NearestName;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.JsonPlace;
import io.berth.webhook.error.ObjectNames;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Parses the annotations in which a pod names configs and their arguments. Stateless and
 * thread-safe.
 */
public final class ArgumentParser {

  private static final int MOST_CONFIGS = 16;

  private static final ObjectReader STRICT =
      JsonMapper.builder(
              JsonFactory.builder()
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(ArgumentLimits.DEPTH)
                          .maxNumberLength(ArgumentLimits.DIGITS)
                          .maxNameLength(ArgumentLimits.STRING)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build()
          .readerFor(JsonNode.class);

  /** Returns the field path of an annotation in the pod. */
  public static String placeOf(String annotation) {
    return "metadata.annotations[" + annotation + "]";
  }

  /**
   * Parses an annotation of config names, which are separated by commas; whitespace around names is
   * ignored.
   *
   * @param annotation the annotation's key
   * @param text the annotation's value
   */
  public ConfigNames names(String annotation, String text) {
    List<Problem> problems = new ArrayList<>();
    List<String> names = new ArrayList<>();
    String place = placeOf(annotation);
    for (String part : text.split(",", MOST_CONFIGS + 2)) {
      String name = part.strip();
      if (name.isEmpty()) {
        problems.add(
            new Problem(
                ErrorCode.CONFIG_NAMES,
                place,
                "must be a list of config names, separated by commas; one of the names is empty"));
      } else if (!ObjectNames.isValid(name)) {
        problems.add(
            new Problem(
                ErrorCode.CONFIG_NAMES,
                place,
                Quoted.name(name)
                    + " cannot be the name of a config: "
                    + ObjectNames.RULE
                    + "; separate names with commas"));
      } else if (names.contains(name)) {
        problems.add(
            new Problem(
                ErrorCode.CONFIG_NAMES, place, "names " + Quoted.name(name) + " more than once"));
      } else {
        names.add(name);
      }
    }
    if (problems.isEmpty() && names.size() > MOST_CONFIGS) {
      problems.add(
          new Problem(
              ErrorCode.CONFIG_NAMES, place, "names more than " + MOST_CONFIGS + " configs"));
    }
    return problems.isEmpty() ? new NamedConfigs(names) : new RefusedArguments(problems);
  }

  /**
   * Parses an annotation of arguments, a JSON object. If the pod names one config, the fields of
   * the object are its arguments; if it names several, the object is keyed by config name.
   *
   * @param kind the kind of the configs, such as {@code NodeSchedulerConfig}, for messages
   * @param annotation the annotation's key, such as {@code scb.sched.cloud.ctrip.com/nsc-args}
   * @param text the annotation's value; empty if the pod has none
   * @param configs the configs that the pod names
   */
  public ParsedArguments parse(
      String kind, String annotation, Optional<String> text, List<String> configs) {
    String place = placeOf(annotation);
    JsonNode tree = JsonNodeFactory.instance.objectNode();
    if (text.isPresent()) {
      if (text.get().length() > ArgumentLimits.TEXT) {
        return refused(
            ErrorCode.ARGUMENT_TOO_LARGE,
            place,
            "has " + text.get().length() + " characters; the limit is " + ArgumentLimits.TEXT);
      }
      try {
        tree = STRICT.readTree(text.get());
      } catch (JsonProcessingException e) {
        return notJson(place, text.get(), e);
      }
    }
    if (!tree.isObject()) {
      return refused(
          ErrorCode.ARGUMENTS_SHAPE,
          place,
          configs.size() == 1
              ? "must be a JSON object of arguments, such as {\"Name\": \"value\"}"
              : byConfigWords(configs));
    }
    if (configs.size() != 1) {
      return byConfig(kind, place, tree, configs);
    }
    String config = configs.getFirst();
    return new ArgumentsByConfig(
        Map.of(config, new GivenArguments(kind + " " + config, place, tree)));
  }

  private static ParsedArguments byConfig(
      String kind, String place, JsonNode tree, List<String> configs) {
    List<Problem> problems = new ArrayList<>();
    tree.fieldNames()
        .forEachRemaining(
            name -> {
              if (!configs.contains(name) && problems.size() < ArgumentLimits.PROBLEMS) {
                problems.add(
                    new Problem(
                        ErrorCode.ARGUMENTS_FOR_UNNAMED_CONFIG,
                        place,
                        Quoted.name(name)
                            + " is not a config that the pod names; "
                            + byConfigWords(configs)
                            + NearestName.question(name, configs)));
              }
            });
    if (!problems.isEmpty()) {
      return new RefusedArguments(problems);
    }
    Map<String, GivenArguments> byConfig = LinkedHashMap.newLinkedHashMap(configs.size());
    for (String config : configs) {
      byConfig.put(
          config, new GivenArguments(kind + " " + config, place + "." + config, tree.path(config)));
    }
    return new ArgumentsByConfig(byConfig);
  }

  private static String byConfigWords(List<String> configs) {
    StringBuilder words =
        new StringBuilder("with several configs, arguments are keyed by config name: {");
    for (int i = 0; i < configs.size(); i++) {
      words.append(i == 0 ? "" : ", ").append('"').append(configs.get(i)).append("\": {...}");
    }
    return words.append('}').toString();
  }

  private static ParsedArguments notJson(String place, String text, JsonProcessingException e) {
    if (e instanceof StreamConstraintsException) {
      return refused(
          ErrorCode.ARGUMENT_TOO_LARGE,
          place,
          "exceeds a limit"
              + JsonPlace.of(e)
              + "; the limits are "
              + ArgumentLimits.DEPTH
              + " levels, numbers of "
              + ArgumentLimits.DIGITS
              + " digits, and names of "
              + ArgumentLimits.STRING
              + " characters");
    }
    String quotes =
        text.strip().startsWith("'")
            ? "; remove the single quotes, which belong to YAML and not to the value"
            : "";
    return refused(
        ErrorCode.ARGUMENTS_NOT_JSON,
        place,
        "is not valid JSON"
            + JsonPlace.of(e)
            + (e instanceof JsonEOFException ? ", where it ends unexpectedly" : "")
            + "; write an object such as {\"Name\": \"value\"}"
            + quotes);
  }

  private static RefusedArguments refused(ErrorCode code, String place, String message) {
    return new RefusedArguments(List.of(new Problem(code, place, message)));
  }
}

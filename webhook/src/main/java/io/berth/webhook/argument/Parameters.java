package io.berth.webhook.argument;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.ParameterType;
import io.berth.crds.schema.NearestName;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The parameters of one config, in the order of their declaration. Immutable. */
public final class Parameters implements Declaration {

  private final Map<String, DeclaredParameter> byName;

  Parameters(List<DeclaredParameter> list) {
    byName = LinkedHashMap.newLinkedHashMap(list.size());
    list.forEach(parameter -> byName.put(parameter.name(), parameter));
  }

  /**
   * Reads the {@code parameters} of a config's spec.
   *
   * @param declarations a list of declarations; a missing or null node if there are none
   * @param path the path of the list, for problems
   */
  public static Declaration read(JsonNode declarations, String path) {
    return new ParameterReader().read(declarations, path);
  }

  /**
   * Returns the implicit parameters of a config that declares none: a required string for each name
   * that its templates use.
   */
  public static Parameters ofNames(Collection<String> names) {
    return new Parameters(names.stream().map(DeclaredParameter::requiredString).toList());
  }

  /** Returns the parameters in the order of their declaration. */
  public List<DeclaredParameter> list() {
    return List.copyOf(byName.values());
  }

  /** Returns the parameter with this name. */
  public Optional<DeclaredParameter> named(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  /**
   * Checks arguments, and fills in defaults. A null argument counts as absent, as does an empty
   * string unless the parameter accepts it.
   */
  public CheckedArguments check(GivenArguments given) {
    List<Problem> problems = new ArrayList<>();
    JsonNode tree = given.tree();
    if (!tree.isObject() && !tree.isNull() && !tree.isMissingNode()) {
      return new RefusedArguments(
          List.of(
              new Problem(
                  ErrorCode.ARGUMENTS_SHAPE,
                  given.place(),
                  "must be an object of arguments for "
                      + given.config()
                      + ", such as "
                      + example())));
    }
    for (Iterator<String> names = tree.fieldNames();
        names.hasNext() && problems.size() < ArgumentLimits.PROBLEMS; ) {
      String name = names.next();
      if (!byName.containsKey(name)) {
        problems.add(unknown(given, name));
      }
    }
    Map<String, Object> values = HashMap.newHashMap(byName.size());
    for (DeclaredParameter parameter : byName.values()) {
      if (problems.size() >= ArgumentLimits.PROBLEMS) {
        break;
      }
      JsonNode node = tree.path(parameter.name());
      if (isGiven(node, parameter)) {
        new ArgumentCheck(parameter, problems)
            .check(node, given.place() + "." + parameter.name())
            .ifPresent(value -> values.put(parameter.name(), value));
      } else if (parameter.defaultValue().isPresent()) {
        values.put(parameter.name(), parameter.defaultValue().get());
      } else if (parameter.required()) {
        problems.add(missing(given, parameter, node));
      }
    }
    return problems.isEmpty() ? new Arguments(values) : new RefusedArguments(problems);
  }

  private static boolean isGiven(JsonNode node, DeclaredParameter parameter) {
    boolean empty =
        parameter.type() == ParameterType.STRING
            && node.isTextual()
            && node.textValue().isEmpty()
            && !parameter.takesEmpty();
    return !node.isMissingNode() && !node.isNull() && !empty;
  }

  private Problem unknown(GivenArguments given, String name) {
    String takes =
        byName.isEmpty()
            ? "which has no parameters"
            : "which accepts "
                + byName.keySet().stream().limit(20).collect(Collectors.joining(", "));
    return new Problem(
        ErrorCode.ARGUMENT_UNKNOWN,
        given.place(),
        Quoted.name(name)
            + " is not a parameter of "
            + given.config()
            + ", "
            + takes
            + NearestName.question(name, byName.keySet()));
  }

  private static Problem missing(GivenArguments given, DeclaredParameter parameter, JsonNode node) {
    return new Problem(
        ErrorCode.ARGUMENT_MISSING,
        given.place(),
        given.config()
            + " requires the argument \""
            + parameter.name()
            + "\": "
            + ArgumentCheck.takes(parameter)
            + (node.isTextual() ? "; an empty string counts as not given" : ""));
  }

  private String example() {
    return byName.values().stream()
        .limit(3)
        .map(parameter -> "\"" + parameter.name() + "\": " + exampleValue(parameter))
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private static String exampleValue(DeclaredParameter parameter) {
    return switch (parameter.type()) {
      case STRING -> "\"...\"";
      case INTEGER -> "1";
      case BOOLEAN -> "true";
      case STRING_LIST -> "[\"...\"]";
    };
  }
}

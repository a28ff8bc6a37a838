package io.berth.webhook.argument;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.berth.crds.ParameterType;
import io.berth.crds.schema.NearestName;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads and validates declarations of parameters. */
final class ParameterReader {

  private static final int MOST = 64;
  private static final int LONGEST_PATTERN = 1024;

  /** Names that have a special meaning in expressions. */
  private static final Set<String> TAKEN =
      Set.of("pod", "true", "false", "gt", "gte", "lt", "lte", "as", "in", "using");

  private static final List<String> FIELDS =
      List.of(
          "name",
          "type",
          "required",
          "default",
          "enum",
          "pattern",
          "minimum",
          "maximum",
          "description");

  private final List<Problem> problems = new ArrayList<>();

  Declaration read(JsonNode declarations, String path) {
    if (declarations.isMissingNode() || declarations.isNull()) {
      return new Parameters(List.of());
    }
    if (!declarations.isArray()) {
      add(ErrorCode.PARAMETER_MALFORMED, path, "must be a list of parameters");
      return new InvalidDeclaration(problems);
    }
    if (declarations.size() > MOST) {
      add(
          ErrorCode.PARAMETER_MALFORMED,
          path,
          "declares " + declarations.size() + " parameters; the limit is " + MOST);
      return new InvalidDeclaration(problems);
    }
    List<DeclaredParameter> list = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (int i = 0; i < declarations.size(); i++) {
      String at = path + "[" + i + "]";
      JsonNode declaration = declarations.get(i);
      parameter(declaration, at).ifPresent(list::add);
      String name = declaration.path("name").asText();
      if (!name.isEmpty() && !names.add(name)) {
        add(
            ErrorCode.PARAMETER_REPEATED,
            at + ".name",
            Quoted.name(name) + " is already declared; give each parameter its own name");
      }
    }
    return problems.isEmpty() ? new Parameters(list) : new InvalidDeclaration(problems);
  }

  private Optional<DeclaredParameter> parameter(JsonNode declaration, String at) {
    int before = problems.size();
    if (!declaration.isObject()) {
      add(ErrorCode.PARAMETER_MALFORMED, at, "must be an object with a name and a type");
      return Optional.empty();
    }
    unknownFields(declaration, at);
    Optional<ParameterType> type = type(declaration.path("type"), at + ".type");
    String name = name(declaration.path("name"), at + ".name");
    JsonNode required = declaration.path("required");
    if (!isAbsent(required) && !required.isBoolean()) {
      add(ErrorCode.PARAMETER_MALFORMED, at + ".required", "must be true or false");
    }
    if (type.isEmpty()) {
      return Optional.empty();
    }
    DeclaredParameter bare =
        new DeclaredParameter(
            name,
            type.get(),
            required.asBoolean(),
            Optional.empty(),
            List.of(),
            pattern(declaration.path("pattern"), type.get(), at + ".pattern"),
            bound(declaration.path("minimum"), type.get(), at + ".minimum"),
            bound(declaration.path("maximum"), type.get(), at + ".maximum"));
    if (bare.minimum().isPresent()
        && bare.maximum().isPresent()
        && bare.minimum().get() > bare.maximum().get()) {
      add(
          ErrorCode.PARAMETER_CONTRADICTION,
          at + ".minimum",
          bare.minimum().get() + " is greater than the maximum, " + bare.maximum().get());
    }
    if (problems.size() > before) {
      return Optional.empty();
    }
    DeclaredParameter parameter = withEnum(bare, declaration.path("enum"), at + ".enum");
    return withDefault(parameter, declaration.path("default"), at + ".default");
  }

  private void unknownFields(JsonNode declaration, String at) {
    declaration
        .fieldNames()
        .forEachRemaining(
            field -> {
              if (!FIELDS.contains(field)) {
                add(
                    ErrorCode.PARAMETER_MALFORMED,
                    at,
                    Quoted.name(field)
                        + " is not a field of a parameter; accepted: "
                        + String.join(", ", FIELDS)
                        + NearestName.question(field, FIELDS));
              }
            });
  }

  private String name(JsonNode node, String path) {
    String name = node.asText();
    if (!node.isTextual() || !name.matches("[A-Za-z_][A-Za-z0-9_]{0,62}")) {
      add(
          ErrorCode.PARAMETER_MALFORMED,
          path,
          (name.isEmpty() ? "is missing" : Quoted.name(name) + " is not a valid name")
              + ": use up to 63 letters, digits, and underscores, starting with a letter or"
              + " underscore");
    } else if (TAKEN.contains(name)) {
      add(
          ErrorCode.PARAMETER_MALFORMED,
          path,
          Quoted.name(name) + " is reserved in templates; choose another name");
    }
    return name;
  }

  private Optional<ParameterType> type(JsonNode node, String path) {
    if (isAbsent(node)) {
      return Optional.of(ParameterType.STRING);
    }
    for (ParameterType type : ParameterType.values()) {
      if (node.isTextual() && node.textValue().equals(type.wireName())) {
        return Optional.of(type);
      }
    }
    List<String> types =
        Arrays.stream(ParameterType.values()).map(ParameterType::wireName).toList();
    add(
        ErrorCode.PARAMETER_MALFORMED,
        path,
        Quoted.name(node.asText())
            + " is not a type; accepted: "
            + String.join(", ", types)
            + NearestName.question(node.asText(), types));
    return Optional.empty();
  }

  private Optional<Pattern> pattern(JsonNode node, ParameterType type, String path) {
    if (isAbsent(node)) {
      return Optional.empty();
    }
    if (type != ParameterType.STRING && type != ParameterType.STRING_LIST) {
      add(
          ErrorCode.PARAMETER_CONTRADICTION,
          path,
          "is only for the types string and stringList, and this parameter has the type "
              + type.wireName());
      return Optional.empty();
    }
    if (!node.isTextual() || node.textValue().length() > LONGEST_PATTERN) {
      add(
          ErrorCode.PARAMETER_PATTERN,
          path,
          "must be a string of at most " + LONGEST_PATTERN + " characters");
      return Optional.empty();
    }
    if (!PatternSize.mayCompile(node.textValue())) {
      return tooLarge(path);
    }
    try {
      Pattern pattern = Pattern.compile(node.textValue());
      return pattern.programSize() > PatternSize.PROGRAM ? tooLarge(path) : Optional.of(pattern);
    } catch (PatternSyntaxException e) {
      add(
          ErrorCode.PARAMETER_PATTERN,
          path,
          "is not a valid RE2 expression: "
              + e.getDescription()
                  .replace("invalid or unsupported Perl syntax", "unsupported syntax")
              + (e.getPattern() == null ? "" : " near " + Quoted.value(e.getPattern()))
              + "; RE2 has no look-around, no back-references, and no repetitions above 1000");
      return Optional.empty();
    }
  }

  private Optional<Pattern> tooLarge(String path) {
    add(
        ErrorCode.PARAMETER_PATTERN,
        path,
        "has too many repetitions to be matched quickly; use smaller counts or fewer nested"
            + " groups");
    return Optional.empty();
  }

  private Optional<Long> bound(JsonNode node, ParameterType type, String path) {
    if (isAbsent(node)) {
      return Optional.empty();
    }
    if (type != ParameterType.INTEGER) {
      add(
          ErrorCode.PARAMETER_CONTRADICTION,
          path,
          "is only for the type integer, and this parameter has the type " + type.wireName());
      return Optional.empty();
    }
    if (!node.isIntegralNumber() || !node.canConvertToLong()) {
      add(ErrorCode.PARAMETER_MALFORMED, path, "must be an integer of at most 64 bits");
      return Optional.empty();
    }
    return Optional.of(node.longValue());
  }

  private DeclaredParameter withEnum(DeclaredParameter bare, JsonNode node, String path) {
    if (isAbsent(node) || (node.isArray() && node.isEmpty())) {
      return bare;
    }
    if (bare.type() == ParameterType.BOOLEAN) {
      add(ErrorCode.PARAMETER_CONTRADICTION, path, "is not for the type boolean; remove it");
      return bare;
    }
    if (!node.isArray() || node.size() > ArgumentLimits.ITEMS) {
      add(
          ErrorCode.PARAMETER_MALFORMED,
          path,
          "must be a list of at most " + ArgumentLimits.ITEMS + " values");
      return bare;
    }
    DeclaredParameter item =
        bare.type() == ParameterType.STRING_LIST
            ? new DeclaredParameter(
                bare.name(),
                ParameterType.STRING,
                false,
                Optional.empty(),
                List.of(),
                bare.pattern(),
                Optional.empty(),
                Optional.empty())
            : bare;
    List<Object> accepted = new ArrayList<>();
    for (int i = 0; i < node.size(); i++) {
      declared(item, node.get(i), path + "[" + i + "]").ifPresent(accepted::add);
    }
    return new DeclaredParameter(
        bare.name(),
        bare.type(),
        bare.required(),
        Optional.empty(),
        accepted,
        bare.pattern(),
        bare.minimum(),
        bare.maximum());
  }

  private Optional<DeclaredParameter> withDefault(
      DeclaredParameter parameter, JsonNode node, String path) {
    if (isAbsent(node)) {
      return Optional.of(parameter);
    }
    if (parameter.required()) {
      add(
          ErrorCode.PARAMETER_CONTRADICTION,
          path,
          "is never used, because the parameter is required; remove default or required");
      return Optional.empty();
    }
    return declared(parameter, node, path).map(parameter::withDefault);
  }

  /**
   * Checks a value in the declaration itself, and reports its problems as problems of the
   * declaration.
   */
  private Optional<Object> declared(DeclaredParameter parameter, JsonNode node, String path) {
    List<Problem> found = new ArrayList<>();
    Optional<Object> value = new ArgumentCheck(parameter, found).check(node, path);
    found.forEach(
        problem -> add(ErrorCode.PARAMETER_CONTRADICTION, problem.path(), problem.message()));
    return value;
  }

  private static boolean isAbsent(JsonNode node) {
    return node.isMissingNode() || node.isNull();
  }

  private void add(ErrorCode code, String path, String message) {
    problems.add(new Problem(code, path, message));
  }
}

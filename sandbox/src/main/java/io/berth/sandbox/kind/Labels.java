package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.failure.FieldError;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The syntax of label keys and values, with the API server's words. */
final class Labels {
  private static final int LONGEST = 63;
  private static final String NAME_REGEX = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
  private static final String VALUE_REGEX = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
  private static final Pattern NAME = Pattern.compile(NAME_REGEX);
  private static final Pattern VALUE = Pattern.compile(VALUE_REGEX);

  private Labels() {}

  static List<FieldError> validate(JsonNode labels, String path) {
    List<FieldError> errors = new ArrayList<>();
    labels
        .properties()
        .forEach(
            label -> {
              for (String problem : keyProblems(label.getKey())) {
                errors.add(FieldError.invalid(path, label.getKey(), problem));
              }
              for (String problem : valueProblems(label.getValue().asText())) {
                errors.add(FieldError.invalid(path, label.getValue().asText(), problem));
              }
            });
    return errors;
  }

  /** Returns the problems of a qualified name, such as a label or annotation key. */
  static List<String> keyProblems(String key) {
    List<String> problems = new ArrayList<>();
    int slash = key.indexOf('/');
    if (slash != key.lastIndexOf('/')) {
      return List.of(
          "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must"
              + " start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or"
              + " '123-abc', regex used for validation is '"
              + NAME_REGEX
              + "') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
    }
    String name = key.substring(slash + 1);
    if (slash == 0) {
      problems.add("prefix part must be non-empty");
    } else if (slash > 0) {
      NameFormat.SUBDOMAIN
          .problems(key.substring(0, slash))
          .forEach(problem -> problems.add("prefix part " + problem));
    }
    if (name.isEmpty()) {
      problems.add("name part must be non-empty");
    } else if (name.length() > LONGEST) {
      problems.add("name part must be no more than " + LONGEST + " bytes");
    }
    if (!NAME.matcher(name).matches()) {
      problems.add(
          "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and"
              + " end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc',"
              + " regex used for validation is '"
              + NAME_REGEX
              + "')");
    }
    return problems;
  }

  /** Returns the problems of a label's value. */
  static List<String> valueProblems(String value) {
    List<String> problems = new ArrayList<>();
    if (value.length() > LONGEST) {
      problems.add("must be no more than " + LONGEST + " bytes");
    }
    if (!VALUE.matcher(value).matches()) {
      problems.add(
          "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or"
              + " '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or"
              + " 'my_value',  or '12345', regex used for validation is '"
              + VALUE_REGEX
              + "')");
    }
    return problems;
  }
}

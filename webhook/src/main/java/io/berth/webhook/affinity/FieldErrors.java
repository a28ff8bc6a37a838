package io.berth.webhook.affinity;

import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Collects what is wrong, in the words of the API server's field errors. */
final class FieldErrors {

  private static final int MOST = 32;

  private final List<Problem> problems = new ArrayList<>();

  void required(String path, String detail) {
    add(path, "Required value: " + detail);
  }

  void invalid(String path, String value, String detail) {
    add(path, "Invalid value: " + Quoted.value(value) + ": " + detail);
  }

  void invalid(String path, String value, List<String> details) {
    for (String detail : details) {
      invalid(path, value, detail);
    }
  }

  void invalid(String path, long value, String detail) {
    add(path, "Invalid value: " + value + ": " + detail);
  }

  void forbidden(String path, String detail) {
    add(path, "Forbidden: " + detail);
  }

  void duplicate(String path, String value) {
    add(path, "Duplicate value: " + Quoted.value(value));
  }

  void unsupported(String path, String value, List<String> supported) {
    add(
        path,
        "Unsupported value: "
            + Quoted.value(value)
            + ": supported values: "
            + supported.stream().map(Quoted::value).collect(Collectors.joining(", ")));
  }

  private void add(String path, String message) {
    if (problems.size() < MOST) {
      problems.add(new Problem(ErrorCode.RESULT_INVALID, path, message));
    }
  }

  List<Problem> problems() {
    return List.copyOf(problems);
  }
}

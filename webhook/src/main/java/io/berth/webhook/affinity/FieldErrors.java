package io.berth.webhook.affinity;

import io.berth.rules.Violation;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Collects problems, worded like the API server's field errors. */
final class FieldErrors {

  private static final int MOST = 32;

  private final List<Problem> problems = new ArrayList<>();

  void required(String path, String detail) {
    add(path, "Required value: " + detail);
  }

  void invalid(String path, String value, String detail) {
    add(path, "Invalid value: " + Quoted.value(value) + ": " + detail);
  }

  /** Adds violations, but only the first of each value. */
  void add(List<Violation> violations) {
    Set<Value> seen = new HashSet<>();
    for (Violation violation : violations) {
      if (seen.add(new Value(violation.place(), violation.value()))) {
        add(violation.place(), violation.message(Quoted::value));
      }
    }
  }

  private void add(String path, String message) {
    if (problems.size() < MOST) {
      problems.add(new Problem(ErrorCode.RESULT_INVALID, path, message));
    }
  }

  List<Problem> problems() {
    return List.copyOf(problems);
  }

  private record Value(String place, Object value) {}
}

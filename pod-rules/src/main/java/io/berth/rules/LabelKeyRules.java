package io.berth.rules;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The rules for {@code matchLabelKeys} and {@code mismatchLabelKeys} of pod affinity terms and
 * spread constraints.
 */
final class LabelKeyRules {
  private static final String MATCH = "matchLabelKeys";
  private static final String MISMATCH = "mismatchLabelKeys";

  private final Checks checks;

  /**
   * The number of times that a key of matchLabelKeys may occur in the selector: once if the API
   * server has already added it there, otherwise never.
   */
  private final int occurrences;

  LabelKeyRules(Checks checks, boolean merged) {
    this.checks = checks;
    this.occurrences = merged ? 1 : 0;
  }

  void check(JsonNode term, String path) {
    JsonNode selector = term.path("labelSelector");
    boolean selects = !Checks.isAbsent(selector);
    names(term.path(MATCH), selects, path + "." + MATCH);
    names(term.path(MISMATCH), selects, path + "." + MISMATCH);
    List<String> selected = keys(selector);
    Set<String> mismatched = new HashSet<>();
    for (JsonNode key : term.path(MISMATCH)) {
      if (checks.isKnown(key)) {
        mismatched.add(Checks.text(key));
      }
    }
    JsonNode matched = term.path(MATCH);
    for (int i = 0; i < matched.size(); i++) {
      if (!checks.isKnown(matched.get(i))) {
        continue;
      }
      String key = Checks.text(matched.get(i));
      String at = path + "." + MATCH + "[" + i + "]";
      if (Collections.frequency(selected, key) > occurrences) {
        checks.add(
            Violation.invalid(
                at, path + "[" + i + "]", key, "exists in both matchLabelKeys and labelSelector"));
      }
      if (mismatched.contains(key)) {
        checks.add(
            Violation.invalid(at, key, "exists in both matchLabelKeys and mismatchLabelKeys"));
      }
    }
  }

  private void names(JsonNode keys, boolean selects, String path) {
    if (!selects && checks.hasSome(keys)) {
      checks.add(Violation.forbidden(path, "must not be specified when labelSelector is not set"));
      return;
    }
    for (int i = 0; i < keys.size(); i++) {
      checks.labelName(keys.get(i), path + "[" + i + "]");
    }
  }

  private List<String> keys(JsonNode selector) {
    List<String> keys = new ArrayList<>();
    selector.path("matchLabels").fieldNames().forEachRemaining(keys::add);
    for (JsonNode expression : selector.path("matchExpressions")) {
      if (checks.isOne(expression) && checks.isKnown(expression.path("key"))) {
        keys.add(Checks.text(expression.path("key")));
      }
    }
    return keys;
  }
}

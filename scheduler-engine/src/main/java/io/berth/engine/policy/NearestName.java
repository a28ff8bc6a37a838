package io.berth.engine.policy;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;

/** What may have been meant by a name that is not known. */
final class NearestName {
  private NearestName() {}

  /** The accepted names in order, and before them the one that was probably meant. */
  static String suggest(String name, Collection<String> accepted) {
    String all = String.join(", ", new TreeSet<>(accepted));
    return nearest(name, accepted)
        .map(nearest -> all + " (did you mean " + nearest + "?)")
        .orElse(all);
  }

  private static Optional<String> nearest(String name, Collection<String> accepted) {
    String best = "";
    int bestDistance = Math.max(2, name.length() / 3) + 1;
    for (String candidate : new TreeSet<>(accepted)) {
      int distance = distance(name.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
      if (distance < bestDistance) {
        bestDistance = distance;
        best = candidate;
      }
    }
    return best.isEmpty() ? Optional.empty() : Optional.of(best);
  }

  /** Levenshtein's: how many characters must be inserted, left out or replaced. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}

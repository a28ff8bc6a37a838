package io.berth.crds.schema;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;

/** Finds the most similar of the accepted names, for suggestions in messages. */
public final class NearestName {

  /** The maximum length of names that are compared. The comparison takes quadratic time. */
  private static final int LONGEST = 253;

  private NearestName() {}

  /**
   * Returns the candidate with the fewest insertions, deletions, substitutions, and transpositions
   * (optimal string alignment), ignoring case; the first one among equals. Empty if more than a
   * third of its letters differ, or all of them.
   */
  public static Optional<String> of(String name, Collection<String> candidates) {
    if (name.length() > LONGEST) {
      return Optional.empty();
    }
    String best = "";
    int fewest = Integer.MAX_VALUE;
    for (String candidate : candidates) {
      int most = Math.max(1, Math.max(candidate.length(), name.length()) / 3);
      if (candidate.length() > LONGEST || Math.abs(candidate.length() - name.length()) > most) {
        continue;
      }
      int edits = edits(name.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
      if (edits <= most && edits < name.length() && edits < fewest) {
        best = candidate;
        fewest = edits;
      }
    }
    return best.isEmpty() ? Optional.empty() : Optional.of(best);
  }

  /** Returns the text {@code ; did you mean "x"?}, or an empty string if no name is similar. */
  public static String question(String name, Collection<String> candidates) {
    return of(name, candidates).map(nearest -> "; did you mean \"" + nearest + "\"?").orElse("");
  }

  /**
   * Returns the accepted names in order, followed by a {@link #question} if one of them is similar.
   */
  public static String accepted(String name, Collection<String> accepted) {
    TreeSet<String> sorted = new TreeSet<>(accepted);
    return String.join(", ", sorted) + question(name, sorted);
  }

  private static int edits(String left, String right) {
    int[] beforeLast = new int[right.length() + 1];
    int[] last = new int[right.length() + 1];
    int[] current = new int[right.length() + 1];
    for (int j = 0; j <= right.length(); j++) {
      last[j] = j;
    }
    for (int i = 1; i <= left.length(); i++) {
      current[0] = i;
      for (int j = 1; j <= right.length(); j++) {
        int substitution = left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1;
        int edits = Math.min(last[j - 1] + substitution, Math.min(last[j], current[j - 1]) + 1);
        if (i > 1
            && j > 1
            && left.charAt(i - 1) == right.charAt(j - 2)
            && left.charAt(i - 2) == right.charAt(j - 1)) {
          edits = Math.min(edits, beforeLast[j - 2] + 1);
        }
        current[j] = edits;
      }
      int[] free = beforeLast;
      beforeLast = last;
      last = current;
      current = free;
    }
    return last[right.length()];
  }
}

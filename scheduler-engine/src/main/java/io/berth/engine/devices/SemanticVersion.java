package io.berth.engine.devices;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A semantic version 2.0.0. Build metadata does not count when versions are compared.
 *
 * @param preRelease the identifiers of the pre-release; empty for a release
 */
record SemanticVersion(long major, long minor, long patch, List<String> preRelease)
    implements Comparable<SemanticVersion> {
  private static final String NUMBER = "(0|[1-9][0-9]{0,17})";
  private static final Pattern FORMAT =
      Pattern.compile(
          NUMBER
              + "\\."
              + NUMBER
              + "\\."
              + NUMBER
              + "(?:-([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?"
              + "(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?");
  private static final Pattern DIGITS = Pattern.compile("[0-9]+");

  SemanticVersion {
    preRelease = List.copyOf(preRelease);
  }

  /** Parses a version; empty if the text is not one. */
  static Optional<SemanticVersion> read(String text) {
    Matcher matcher = FORMAT.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    List<String> identifiers =
        matcher.group(4) == null ? List.of() : List.of(matcher.group(4).split("\\.", -1));
    for (String identifier : identifiers) {
      if (isNumber(identifier) && identifier.length() > 1 && identifier.startsWith("0")) {
        return Optional.empty();
      }
    }
    return Optional.of(
        new SemanticVersion(
            Long.parseLong(matcher.group(1)),
            Long.parseLong(matcher.group(2)),
            Long.parseLong(matcher.group(3)),
            identifiers));
  }

  /**
   * Parses a version after removing a leading {@code v} and leading zeros, and adding missing minor
   * and patch numbers; empty if that is not one.
   */
  static Optional<SemanticVersion> readLoosely(String text) {
    String rest = text.startsWith("v") ? text.substring(1) : text;
    String[] parts = rest.split("\\.", 3);
    StringBuilder normal = new StringBuilder();
    for (int i = 0; i < parts.length; i++) {
      String part = parts[i];
      int zeros = 0;
      while (zeros < part.length() - 1
          && part.charAt(zeros) == '0'
          && Character.isDigit(part.charAt(zeros + 1))) {
        zeros++;
      }
      normal.append(i == 0 ? "" : ".").append(part.substring(zeros));
    }
    if (parts.length < 3 && parts[parts.length - 1].matches(".*[+-].*")) {
      return Optional.empty();
    }
    normal.append(".0".repeat(3 - parts.length));
    return read(normal.toString());
  }

  private static boolean isNumber(String identifier) {
    return DIGITS.matcher(identifier).matches();
  }

  @Override
  public int compareTo(SemanticVersion other) {
    int byNumber = Long.compare(major, other.major);
    byNumber = byNumber != 0 ? byNumber : Long.compare(minor, other.minor);
    byNumber = byNumber != 0 ? byNumber : Long.compare(patch, other.patch);
    if (byNumber != 0) {
      return byNumber;
    }
    if (preRelease.isEmpty() || other.preRelease.isEmpty()) {
      return Boolean.compare(preRelease.isEmpty(), other.preRelease.isEmpty());
    }
    for (int i = 0; i < Math.min(preRelease.size(), other.preRelease.size()); i++) {
      int compared = compareIdentifiers(preRelease.get(i), other.preRelease.get(i));
      if (compared != 0) {
        return compared;
      }
    }
    return Integer.compare(preRelease.size(), other.preRelease.size());
  }

  private static int compareIdentifiers(String a, String b) {
    boolean numeric = isNumber(a);
    if (numeric != isNumber(b)) {
      return numeric ? -1 : 1;
    }
    if (!numeric) {
      return a.compareTo(b);
    }
    int byLength = Integer.compare(a.length(), b.length());
    return byLength != 0 ? byLength : a.compareTo(b);
  }
}

package io.berth.operator.api;

import java.util.regex.Pattern;

/**
 * The order of resource versions. An API server takes them from etcd's revision, a number that only
 * grows, unless etcd was restored from a backup.
 */
public final class ResourceVersions {
  private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]*");

  private ResourceVersions() {}

  /** Returns whether a version precedes another; false if one of them is not a number. */
  public static boolean precedes(String a, String b) {
    if (!NUMBER.matcher(a).matches() || !NUMBER.matcher(b).matches()) {
      return false;
    }
    return a.length() == b.length() ? a.compareTo(b) < 0 : a.length() < b.length();
  }

  /**
   * Returns the later of a version and the latest one that is known; that one if they cannot be
   * compared.
   *
   * @param known empty if none is known
   */
  public static String later(String version, String known) {
    return known.isEmpty() || precedes(known, version) ? version : known;
  }

  /** Returns the finding that data read after this version was known precedes it. */
  public static String wentBack(String what, String known, String now) {
    return "the API server's data has gone back in time, as after etcd was restored from a backup: "
        + what
        + " is at resource version "
        + now
        + ", and was at "
        + known
        + " before";
  }
}

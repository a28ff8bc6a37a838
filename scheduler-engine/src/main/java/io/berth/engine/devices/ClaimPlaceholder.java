package io.berth.engine.devices;

import java.util.List;

/** Stands for the name of a described claim in reasons, until they are about one pod. */
public final class ClaimPlaceholder {
  private static final char MARK = '\u001f';

  private ClaimPlaceholder() {}

  static String of(int number) {
    return MARK + String.valueOf(number) + MARK;
  }

  /**
   * Returns a reason with the names of the pod's claims.
   *
   * @param names the names, in the order of the pod's claims
   */
  public static String replacedIn(String reason, List<String> names) {
    if (reason.indexOf(MARK) < 0) {
      return reason;
    }
    String named = reason;
    for (int i = 0; i < names.size(); i++) {
      named = named.replace(of(i), names.get(i));
    }
    return named;
  }
}

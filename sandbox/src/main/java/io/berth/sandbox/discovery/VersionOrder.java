package io.berth.sandbox.discovery;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Orders API versions by preference: stable before beta before alpha, higher versions first, and
 * names that do not follow the Kubernetes version format last.
 */
enum VersionOrder implements Comparator<String> {
  INSTANCE;

  private static final Pattern FORM = Pattern.compile("v(\\d+)(?:(alpha|beta)(\\d+))?");

  @Override
  public int compare(String a, String b) {
    return Comparator.comparing(VersionOrder::rank)
        .thenComparing(VersionOrder::major, Comparator.reverseOrder())
        .thenComparing(VersionOrder::minor, Comparator.reverseOrder())
        .thenComparing(Comparator.<String>naturalOrder())
        .compare(a, b);
  }

  private static int rank(String version) {
    Matcher form = FORM.matcher(version);
    if (!form.matches()) {
      return 3;
    }
    String maturity = form.group(2);
    return maturity == null ? 0 : maturity.equals("beta") ? 1 : 2;
  }

  private static int major(String version) {
    return number(version, 1);
  }

  private static int minor(String version) {
    return number(version, 3);
  }

  private static int number(String version, int group) {
    Matcher form = FORM.matcher(version);
    return form.matches() && form.group(group) != null ? Integer.parseInt(form.group(group)) : 0;
  }
}

package io.berth.sandbox.kind;

import io.berth.rules.LabelSyntax;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The name formats of kinds, with the API server's messages for invalid names. */
public enum NameFormat {
  SUBDOMAIN,
  LABEL,
  SERVICE,
  PATH_SEGMENT;

  private static final int LONGEST_SERVICE = 63;
  private static final String SERVICE_REGEX = "[a-z]([-a-z0-9]*[a-z0-9])?";
  private static final Pattern SERVICE_PATTERN = Pattern.compile(SERVICE_REGEX);

  /** Returns the API server's messages about an invalid name; empty if it is valid. */
  public List<String> problems(String name) {
    return switch (this) {
      case SUBDOMAIN -> LabelSyntax.ofSubdomain(name);
      case LABEL -> LabelSyntax.ofDnsLabel(name);
      case SERVICE -> service(name);
      case PATH_SEGMENT -> pathSegment(name);
    };
  }

  private static List<String> service(String name) {
    List<String> problems = new ArrayList<>();
    if (name.length() > LONGEST_SERVICE) {
      problems.add("must be no more than " + LONGEST_SERVICE + " bytes");
    }
    if (!SERVICE_PATTERN.matcher(name).matches()) {
      problems.add(
          "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with"
              + " an alphabetic character, and end with an alphanumeric character (e.g. 'my-name', "
              + " or 'abc-123', regex used for validation is '"
              + SERVICE_REGEX
              + "')");
    }
    return problems;
  }

  private static List<String> pathSegment(String name) {
    if (name.equals(".") || name.equals("..")) {
      return List.of("may not be '" + name + "'");
    }
    List<String> problems = new ArrayList<>();
    for (String illegal : List.of("/", "%")) {
      if (name.contains(illegal)) {
        problems.add("may not contain '" + illegal + "'");
      }
    }
    return problems;
  }
}

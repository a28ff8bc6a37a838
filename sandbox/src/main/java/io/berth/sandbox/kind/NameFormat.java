package io.berth.sandbox.kind;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The name formats of kinds, with the API server's messages for invalid names. */
public enum NameFormat {
  SUBDOMAIN(
      253,
      "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*",
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or"
          + " '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex"
          + " used for validation is '%s')"),
  LABEL(
      63,
      "[a-z0-9]([-a-z0-9]*[a-z0-9])?",
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and"
          + " must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc',"
          + " regex used for validation is '%s')"),
  SERVICE(
      63,
      "[a-z]([-a-z0-9]*[a-z0-9])?",
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an"
          + " alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or"
          + " 'abc-123', regex used for validation is '%s')"),
  PATH_SEGMENT(Integer.MAX_VALUE, "[^/%]*", "");

  private final int longest;
  private final Pattern pattern;
  private final String words;

  NameFormat(int longest, String regex, String words) {
    this.longest = longest;
    this.pattern = Pattern.compile(regex);
    this.words = String.format(words, regex);
  }

  /** Returns the problems of a name; empty if there are none. */
  public List<String> problems(String name) {
    if (this == PATH_SEGMENT) {
      return pathSegment(name);
    }
    List<String> problems = new ArrayList<>();
    if (name.length() > longest) {
      problems.add("must be no more than " + longest + " bytes");
    }
    if (!pattern.matcher(name).matches()) {
      problems.add(words);
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

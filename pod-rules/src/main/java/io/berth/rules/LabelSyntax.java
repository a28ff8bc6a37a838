package io.berth.rules;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The syntax of label names, label values, and object names, as in {@code
 * k8s.io/apimachinery/pkg/api/validate/content}, with the same messages. Each method returns the
 * problems, or an empty list.
 */
public final class LabelSyntax {

  private static final int LABEL = 63;
  private static final int SUBDOMAIN = 253;

  private static final String NAME_FORMAT = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
  private static final String NAME_WORDS =
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an"
          + " alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for"
          + " validation is '"
          + NAME_FORMAT
          + "')";
  private static final String VALUE_WORDS =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or"
          + " '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or"
          + " 'my_value',  or '12345', regex used for validation is '("
          + NAME_FORMAT
          + ")?')";
  private static final String DNS_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
  private static final String SUBDOMAIN_WORDS =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or"
          + " '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex"
          + " used for validation is '"
          + DNS_LABEL
          + "(\\."
          + DNS_LABEL
          + ")*')";
  private static final String DNS_LABEL_WORDS =
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and"
          + " must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc',"
          + " regex used for validation is '"
          + DNS_LABEL
          + "')";

  private LabelSyntax() {}

  /** Returns the problems of a label key, and of other qualified names. */
  public static List<String> ofLabelName(String name) {
    int slash = name.indexOf('/');
    if (slash != name.lastIndexOf('/')) {
      return List.of(
          "a valid label key "
              + NAME_WORDS
              + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
    }
    List<String> wrong = new ArrayList<>();
    if (slash == 0) {
      wrong.add("prefix part must be non-empty");
    } else if (slash > 0) {
      ofSubdomain(name.substring(0, slash)).forEach(each -> wrong.add("prefix part " + each));
    }
    String part = name.substring(slash + 1);
    boolean wellFormed = isLabelText(part);
    if (part.isEmpty()) {
      wrong.add("name part must be non-empty");
    } else if (bytes(part, wellFormed) > LABEL) {
      wrong.add("name part " + atMost(LABEL));
    }
    if (!wellFormed) {
      wrong.add("name part " + NAME_WORDS);
    }
    return wrong;
  }

  /** Returns the problems of a label value. */
  public static List<String> ofLabelValue(String value) {
    return problems(value, LABEL, value.isEmpty() || isLabelText(value), VALUE_WORDS);
  }

  /** Returns the problems of the name of an object, such as a node. */
  public static List<String> ofSubdomain(String name) {
    return problems(name, SUBDOMAIN, isSubdomain(name), SUBDOMAIN_WORDS);
  }

  /** Returns the problems of a namespace's name. */
  public static List<String> ofDnsLabel(String name) {
    return problems(
        name,
        LABEL,
        isDnsLabel(name, 0, name.length()),
        isSubdomain(name) ? "must not contain dots" : DNS_LABEL_WORDS);
  }

  private static List<String> problems(String text, int most, boolean wellFormed, String words) {
    if (bytes(text, wellFormed) > most) {
      return wellFormed ? List.of(atMost(most)) : List.of(atMost(most), words);
    }
    return wellFormed ? List.of() : List.of(words);
  }

  /** Returns the length in UTF-8; well-formed text is ASCII. */
  private static int bytes(String text, boolean wellFormed) {
    return wellFormed ? text.length() : text.getBytes(StandardCharsets.UTF_8).length;
  }

  private static boolean isLabelText(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean inside = i > 0 && i < text.length() - 1;
      if (!isAlphanumeric(c) && !(inside && (c == '-' || c == '_' || c == '.'))) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  private static boolean isSubdomain(String name) {
    int from = 0;
    while (true) {
      int dot = name.indexOf('.', from);
      int to = dot < 0 ? name.length() : dot;
      if (!isDnsLabel(name, from, to)) {
        return false;
      }
      if (dot < 0) {
        return true;
      }
      from = dot + 1;
    }
  }

  private static boolean isDnsLabel(String text, int from, int to) {
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      boolean inside = i > from && i < to - 1;
      if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && !(inside && c == '-')) {
        return false;
      }
    }
    return to > from;
  }

  private static boolean isAlphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }

  private static String atMost(int length) {
    return "must be no more than " + length + " bytes";
  }
}

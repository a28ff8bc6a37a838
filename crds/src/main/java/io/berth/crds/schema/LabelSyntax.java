package io.berth.crds.schema;

import java.util.List;

/**
 * The syntax of label names, label values and names of objects, after {@code
 * k8s.io/apimachinery/pkg/util/validation} and in its words. Each method returns what is wrong, or
 * an empty list.
 */
public final class LabelSyntax {

  private static final int LABEL = 63;
  private static final int SUBDOMAIN = 253;

  private static final String NAME_FORMAT = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
  private static final String NAME_WORDS =
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an"
          + " alphanumeric character (e.g. 'MyName', or 'my.name', or '123-abc', regex used for"
          + " validation is '"
          + NAME_FORMAT
          + "')";
  private static final String VALUE_WORDS =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or"
          + " '.', and must start and end with an alphanumeric character (e.g. 'MyValue', or"
          + " 'my_value', or '12345', regex used for validation is '("
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
          + " must start and end with an alphanumeric character (e.g. 'my-name', or '123-abc',"
          + " regex used for validation is '"
          + DNS_LABEL
          + "')";

  private LabelSyntax() {}

  /** Returns the problems of a label key. */
  public static List<String> ofLabelName(String name) {
    int slash = name.indexOf('/');
    if (slash != name.lastIndexOf('/')) {
      return List.of(
          "a valid label key "
              + NAME_WORDS
              + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
    }
    List<String> wrong = List.of();
    if (slash == 0) {
      wrong = List.of("prefix part must be non-empty");
    } else if (slash > 0) {
      List<String> ofPrefix = ofSubdomain(name.substring(0, slash));
      wrong = ofPrefix.isEmpty() ? wrong : List.of("prefix part " + String.join("; ", ofPrefix));
    }
    int length = name.length() - slash - 1;
    if (length == 0) {
      return append(wrong, "name part must be non-empty");
    }
    if (length > LABEL) {
      return append(wrong, "name part " + atMost(LABEL));
    }
    return isLabelText(name, slash + 1) ? wrong : append(wrong, "name part " + NAME_WORDS);
  }

  /** Returns the problems of a label value. */
  public static List<String> ofLabelValue(String value) {
    if (value.length() > LABEL) {
      return List.of(atMost(LABEL));
    }
    return value.isEmpty() || isLabelText(value, 0) ? List.of() : List.of(VALUE_WORDS);
  }

  /** Returns the problems of an object's name, such as a node's. */
  public static List<String> ofSubdomain(String name) {
    if (name.length() > SUBDOMAIN) {
      return List.of(atMost(SUBDOMAIN));
    }
    int from = 0;
    while (true) {
      int dot = name.indexOf('.', from);
      int to = dot < 0 ? name.length() : dot;
      if (!isDnsLabel(name, from, to)) {
        return List.of(SUBDOMAIN_WORDS);
      }
      if (dot < 0) {
        return List.of();
      }
      from = dot + 1;
    }
  }

  /** Returns the problems of a namespace's name. */
  public static List<String> ofDnsLabel(String name) {
    if (name.length() > LABEL) {
      return List.of(atMost(LABEL));
    }
    return isDnsLabel(name, 0, name.length()) ? List.of() : List.of(DNS_LABEL_WORDS);
  }

  private static boolean isLabelText(String text, int from) {
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean inside = i > from && i < text.length() - 1;
      if (!isAlphanumeric(c) && !(inside && (c == '-' || c == '_' || c == '.'))) {
        return false;
      }
    }
    return text.length() > from;
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

  private static List<String> append(List<String> wrong, String more) {
    return wrong.isEmpty() ? List.of(more) : List.of(wrong.getFirst(), more);
  }
}

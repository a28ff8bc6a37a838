package io.berth.rules;

import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A violation of a rule, for which the API server would reject the object.
 *
 * @param reason the kind of violation
 * @param place the path of the value
 * @param reportedPlace the path that the API server reports, which differs from the place in some
 *     cases
 * @param value a string or an integer; the empty string if the value is absent
 * @param detail the accepted values, in the API server's wording; may be empty
 */
public record Violation(
    Reason reason, String place, String reportedPlace, Object value, String detail) {

  /** The reasons, with the names and texts of the API server. */
  public enum Reason {
    INVALID("FieldValueInvalid", "Invalid value", true),
    REQUIRED("FieldValueRequired", "Required value", false),
    FORBIDDEN("FieldValueForbidden", "Forbidden", false),
    DUPLICATE("FieldValueDuplicate", "Duplicate value", true),
    UNSUPPORTED("FieldValueNotSupported", "Unsupported value", true);

    private final String cause;
    private final String words;
    private final boolean showsValue;

    Reason(String cause, String words, boolean showsValue) {
      this.cause = cause;
      this.words = words;
      this.showsValue = showsValue;
    }

    /** Returns the reason of a cause in a Status, for instance {@code FieldValueInvalid}. */
    public String cause() {
      return cause;
    }
  }

  static Violation invalid(String place, Object value, String detail) {
    return invalid(place, place, value, detail);
  }

  static Violation invalid(String place, String reportedPlace, Object value, String detail) {
    return new Violation(Reason.INVALID, place, reportedPlace, value, detail);
  }

  static Violation required(String place, String detail) {
    return new Violation(Reason.REQUIRED, place, place, "", detail);
  }

  static Violation forbidden(String place, String detail) {
    return new Violation(Reason.FORBIDDEN, place, place, "", detail);
  }

  static Violation duplicate(String place, String value) {
    return new Violation(Reason.DUPLICATE, place, place, value, "");
  }

  static Violation unsupported(String place, String value, List<String> supported) {
    return new Violation(
        Reason.UNSUPPORTED,
        place,
        place,
        value,
        supported.stream()
            .map(each -> '"' + each + '"')
            .collect(Collectors.joining(", ", "supported values: ", "")));
  }

  /**
   * Returns the message without the path.
   *
   * @param quote the format of strings from users
   */
  public String message(UnaryOperator<String> quote) {
    StringBuilder message = new StringBuilder(reason.words);
    if (reason.showsValue) {
      message.append(": ").append(value instanceof String text ? quote.apply(text) : value);
    }
    if (!detail.isEmpty()) {
      message.append(": ").append(detail);
    }
    return message.toString();
  }
}

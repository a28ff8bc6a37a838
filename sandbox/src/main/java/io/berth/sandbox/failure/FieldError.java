package io.berth.sandbox.failure;

import io.berth.rules.Violation;

/**
 * One thing wrong with one field, a cause of a 422 answer.
 *
 * @param field the path as the API server writes it, for instance {@code spec.containers[0].name}
 * @param reason the cause's reason, for instance {@code FieldValueInvalid}
 * @param message what is wrong, with the value, as the API server words it, without the field
 */
public record FieldError(String field, String reason, String message) {

  /** A value that is not allowed; it is printed as Go's %q or %v would. */
  public static FieldError invalid(String field, Object value, String detail) {
    return new FieldError(
        field,
        "FieldValueInvalid",
        "Invalid value: " + printed(value) + (detail.isEmpty() ? "" : ": " + detail));
  }

  /** A field that must be there. */
  public static FieldError required(String field, String detail) {
    return new FieldError(
        field,
        "FieldValueRequired",
        detail.isEmpty() ? "Required value" : "Required value: " + detail);
  }

  /** A field that must not be there, or not be changed. */
  public static FieldError forbidden(String field, String detail) {
    return new FieldError(field, "FieldValueForbidden", "Forbidden: " + detail);
  }

  /** A second item with the same key. */
  public static FieldError duplicate(String field, Object value) {
    return new FieldError(field, "FieldValueDuplicate", "Duplicate value: " + printed(value));
  }

  /** A value outside an enumeration. */
  public static FieldError notSupported(String field, Object value, Iterable<String> supported) {
    StringBuilder list = new StringBuilder();
    for (String one : supported) {
      list.append(list.isEmpty() ? "" : ", ").append('"').append(one).append('"');
    }
    return new FieldError(
        field,
        "FieldValueNotSupported",
        "Unsupported value: " + printed(value) + ": supported values: " + list);
  }

  /** A value of the wrong JSON type. */
  public static FieldError typeInvalid(String field, Object value, String detail) {
    return new FieldError(
        field, "FieldValueTypeInvalid", "Invalid value: " + printed(value) + ": " + detail);
  }

  /** A violation of the rules for pods, as the API server reports it. */
  public static FieldError of(Violation violation) {
    return new FieldError(
        violation.reportedPlace(),
        violation.reason().cause(),
        violation.message(FieldError::printed));
  }

  /** The field and what is wrong with it, as messages list it. */
  public String text() {
    return field + ": " + message;
  }

  private static String printed(Object value) {
    return value instanceof CharSequence text
        ? '"' + text.toString().replace("\\", "\\\\").replace("\"", "\\\"") + '"'
        : String.valueOf(value);
  }
}

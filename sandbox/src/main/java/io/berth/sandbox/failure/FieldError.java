package io.berth.sandbox.failure;

import io.berth.rules.Violation;

/**
 * An error of one field: a cause in the details of a 422 response.
 *
 * @param field the field path as the API server writes it, for example {@code
 *     spec.containers[0].name}
 * @param reason the reason of the cause, for example {@code FieldValueInvalid}
 * @param message the API server's message, with the value but without the field
 */
public record FieldError(String field, String reason, String message) {

  /** An invalid value. It is printed as by Go's %q or %v. */
  public static FieldError invalid(String field, Object value, String detail) {
    return new FieldError(
        field,
        "FieldValueInvalid",
        "Invalid value: " + printed(value) + (detail.isEmpty() ? "" : ": " + detail));
  }

  /** A required field that is missing. */
  public static FieldError required(String field, String detail) {
    return new FieldError(
        field,
        "FieldValueRequired",
        detail.isEmpty() ? "Required value" : "Required value: " + detail);
  }

  /** A field that must not be set or changed. */
  public static FieldError forbidden(String field, String detail) {
    return new FieldError(field, "FieldValueForbidden", "Forbidden: " + detail);
  }

  /** A duplicate list item, by key. */
  public static FieldError duplicate(String field, Object value) {
    return new FieldError(field, "FieldValueDuplicate", "Duplicate value: " + printed(value));
  }

  /** A value that is not in the enumeration. */
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

  /** A violation of the pod validation rules, as the API server reports it. */
  public static FieldError of(Violation violation) {
    return new FieldError(
        violation.reportedPlace(),
        violation.reason().cause(),
        violation.message(FieldError::printed));
  }

  /** The field and its message, as listed in error messages. */
  public String text() {
    return field + ": " + message;
  }

  private static String printed(Object value) {
    return value instanceof CharSequence text
        ? '"' + text.toString().replace("\\", "\\\\").replace("\"", "\\\"") + '"'
        : String.valueOf(value);
  }
}

package io.berth.operator.query;

import io.berth.serving.http.HttpAnswer;

/** Thrown if a request is answered with a failure. */
final class ApiException extends Exception {
  private static final long serialVersionUID = 1;
  private final int code;

  ApiException(int code, String message) {
    super(message);
    this.code = code;
  }

  /** Returns the failure of an object with a field that is not valid. */
  static ApiException invalid(String kind, String path, String message) {
    return new ApiException(422, "%s is invalid: %s: %s".formatted(kind, path, message));
  }

  int code() {
    return code;
  }

  HttpAnswer answer() {
    return ApiStatus.failure(code, String.valueOf(getMessage()));
  }
}

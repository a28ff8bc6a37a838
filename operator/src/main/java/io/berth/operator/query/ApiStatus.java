package io.berth.operator.query;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.serving.http.HttpAnswer;
import java.nio.charset.StandardCharsets;

/** Responses in the API server's formats. */
final class ApiStatus {
  private static final String JSON = "application/json";

  private ApiStatus() {}

  /** Returns a Status that reports a failure. */
  static HttpAnswer failure(int code, String message) {
    HttpAnswer answer = json(code, status(code, message));
    return isForAWhile(code) ? answer.with("Retry-After", "2") : answer;
  }

  /** Returns a Status that reports a failure, as the object of an event. */
  static ObjectNode status(int code, String message) {
    ObjectNode status = JsonNodeFactory.instance.objectNode();
    status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
    status
        .put("status", "Failure")
        .put("message", message)
        .put("reason", reason(code))
        .put("code", code);
    if (isForAWhile(code)) {
      status.putObject("details").put("retryAfterSeconds", 2);
    }
    return status;
  }

  private static boolean isForAWhile(int code) {
    return code == 429 || code == 503;
  }

  static HttpAnswer json(int code, ObjectNode body) {
    return new HttpAnswer(code, JSON, body.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static String reason(int code) {
    return switch (code) {
      case 400 -> "BadRequest";
      case 401 -> "Unauthorized";
      case 403 -> "Forbidden";
      case 404 -> "NotFound";
      case 405 -> "MethodNotAllowed";
      case 406 -> "NotAcceptable";
      case 410 -> "Expired";
      case 413 -> "RequestEntityTooLarge";
      case 415 -> "UnsupportedMediaType";
      case 422 -> "Invalid";
      case 429 -> "TooManyRequests";
      case 503 -> "ServiceUnavailable";
      default -> "InternalError";
    };
  }
}

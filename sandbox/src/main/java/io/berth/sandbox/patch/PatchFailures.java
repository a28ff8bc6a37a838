package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.store.Json;

/** The errors for patches that cannot be applied. */
final class PatchFailures {
  private PatchFailures() {}

  static ApiException badRequest(String message) {
    return Failures.badRequest(message);
  }

  /**
   * The error for a patch that can be decoded but not applied. The message is generic, and the
   * details are in its cause.
   */
  static ApiException unprocessable(String message) {
    ObjectNode status = Json.object();
    status.put("kind", "Status").put("apiVersion", "v1");
    status.putObject("metadata");
    status
        .put("status", "Failure")
        .put("message", "the server rejected our request due to an error in our request")
        .put("reason", "Invalid");
    status
        .putObject("details")
        .putArray("causes")
        .addObject()
        .put("reason", "UnexpectedServerResponse")
        .put("message", message);
    status.put("code", 422);
    return new ApiException(status);
  }

  static ApiException tooLarge(String message) {
    ObjectNode status = Json.object();
    status.put("kind", "Status").put("apiVersion", "v1");
    status.putObject("metadata");
    status
        .put("status", "Failure")
        .put("message", "Request entity too large: " + message)
        .put("reason", "RequestEntityTooLarge")
        .put("code", 413);
    return new ApiException(status);
  }
}

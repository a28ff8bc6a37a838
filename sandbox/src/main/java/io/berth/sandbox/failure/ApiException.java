package io.berth.sandbox.failure;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.store.Json;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A failed API request, with the metav1.Status that is returned to the client. Created by the
 * methods of {@link Failures}.
 */
public final class ApiException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int code;
  private final transient ObjectNode status;

  ApiException(int code, String reason, String message, ObjectNode details) {
    super(message, null, false, false);
    this.code = code;
    this.status = Json.object();
    status.put("kind", "Status").put("apiVersion", "v1");
    status.putObject("metadata");
    status.put("status", "Failure").put("message", message);
    if (!reason.isEmpty()) {
      status.put("reason", reason);
    }
    if (!details.isEmpty()) {
      status.set("details", details);
    }
    status.put("code", code);
  }

  /**
   * Creates an exception from a Status that another server returned, for example an admission
   * webhook.
   */
  public ApiException(ObjectNode status) {
    super(status.path("message").asText(), null, false, false);
    this.code = status.path("code").asInt(500);
    this.status = status;
  }

  /** The HTTP status code. */
  public int code() {
    return code;
  }

  /** The Status object's reason, empty if it has none. */
  public String reason() {
    return status.path("reason").asText();
  }

  /** The metav1.Status. It is owned by this exception and must not be modified. */
  public ObjectNode status() {
    return status;
  }

  static String aggregate(List<FieldError> errors) {
    List<String> texts = errors.stream().map(FieldError::text).distinct().toList();
    return texts.size() == 1
        ? texts.getFirst()
        : texts.stream().collect(Collectors.joining(", ", "[", "]"));
  }

  static void causes(ObjectNode details, List<FieldError> errors) {
    ArrayNode causes = details.putArray("causes");
    for (FieldError error : errors) {
      causes
          .addObject()
          .put("reason", error.reason())
          .put("message", error.message())
          .put("field", error.field());
    }
  }
}

package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.serving.http.HttpAnswer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Answers of the leader, or of this replica if it leads. */
final class Answers {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Answers() {}

  /**
   * Returns the content of an answer.
   *
   * @throws ApiException if it is a failure
   */
  static String text(HttpAnswer answer) throws ApiException {
    String text = new String(answer.body(), StandardCharsets.UTF_8).strip();
    if (answer.status() != 200) {
      throw new ApiException(answer.status() == 502 ? 503 : answer.status(), message(text));
    }
    return text;
  }

  /**
   * Returns the content of an answer that is JSON.
   *
   * @throws ApiException if it is a failure
   */
  static JsonNode json(HttpAnswer answer) throws ApiException {
    return json(text(answer));
  }

  /** Returns JSON that the leader has written. */
  static JsonNode json(String text) throws ApiException {
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      throw new ApiException(503, "the leader's answer cannot be read: " + e.getMessage());
    }
  }

  /** Returns the message of a failure, which the leader may have worded as a Status. */
  private static String message(String text) {
    try {
      return JSON.readTree(text).path("message").asText(text);
    } catch (IOException notJson) {
      return text;
    }
  }
}

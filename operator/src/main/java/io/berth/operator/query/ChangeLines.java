package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.serving.http.HttpAnswer;
import java.util.List;

/**
 * A page of changes, as of {@link io.berth.operator.http.Explainer#changes}. Changes stay text
 * until they are sent, because their objects take several times as much memory.
 *
 * @param position the position after them
 * @param initial whether they are objects that exist
 * @param more whether there are more
 * @param changes one change each
 */
record ChangeLines(String position, boolean initial, boolean more, List<String> changes) {
  ChangeLines {
    changes = List.copyOf(changes);
  }

  /**
   * Reads a page.
   *
   * @throws ApiException if the answer is a failure
   */
  static ChangeLines of(HttpAnswer answer) throws ApiException {
    if (answer.status() == 404) {
      throw new ApiException(
          503, "the leader is of an older release, which cannot be watched; try again later");
    }
    List<String> lines = Answers.text(answer).lines().toList();
    JsonNode head = Answers.json(lines.getFirst());
    return new ChangeLines(
        head.path("position").asText(),
        head.path("initial").asBoolean(),
        head.path("more").asBoolean(),
        lines.subList(1, lines.size()));
  }
}

package io.berth.webhook.admission;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.webhook.error.Problem;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The response of an AdmissionReview. */
final class AdmissionAnswer {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * The maximum length of a warning, in characters. The API server drops warnings beyond 4 KiB in
   * total, and a warning of a few lines is readable.
   */
  private static final int LONGEST_WARNING = 512;

  private static final int MOST_WARNINGS = 7;

  private final ObjectNode response = JsonNodeFactory.instance.objectNode();

  private AdmissionAnswer(String uid, boolean allowed) {
    response.put("uid", uid).put("allowed", allowed);
  }

  static AdmissionAnswer allowed(String uid) {
    return new AdmissionAnswer(uid, true);
  }

  /**
   * Denies a pod. Clients print the message of this status in full, and controllers copy it into an
   * event, so it is a single line.
   */
  static AdmissionAnswer forbidden(String uid, List<Problem> problems) {
    AdmissionAnswer answer = new AdmissionAnswer(uid, false);
    ObjectNode status = answer.response.putObject("status");
    status.put("code", 403).put("reason", "Forbidden");
    status.put("message", inOneLine(problems));
    causes(status.putObject("details"), problems, Problem::message);
    return answer;
  }

  /**
   * Rejects an object of one of Berth's kinds with the status that the API server uses for schema
   * violations, so that {@code kubectl edit} reopens the editor. Clients print the causes of this
   * status instead of its message, so each cause contains its code.
   */
  static AdmissionAnswer invalid(AdmissionRequest request, List<Problem> problems) {
    AdmissionAnswer answer = new AdmissionAnswer(request.uid(), false);
    ObjectNode status = answer.response.putObject("status");
    status.put("code", 422).put("reason", "Invalid");
    status.put("message", String.join("\n", problems.stream().map(Problem::text).toList()));
    ObjectNode details = status.putObject("details");
    details.put("name", request.name()).put("kind", request.kind());
    causes(details, problems, problem -> problem.code().id() + ": " + problem.message());
    return answer;
  }

  private static String inOneLine(List<Problem> problems) {
    if (problems.size() == 1) {
      return problems.getFirst().text();
    }
    StringBuilder line = new StringBuilder().append(problems.size()).append(" problems:");
    for (int i = 0; i < problems.size(); i++) {
      line.append(" (").append(i + 1).append(") ").append(problems.get(i).text());
    }
    return line.toString();
  }

  private static void causes(
      ObjectNode details, List<Problem> problems, Function<Problem, String> words) {
    ArrayNode causes = details.putArray("causes");
    for (Problem problem : problems) {
      causes
          .addObject()
          .put("reason", problem.code().id())
          .put("field", problem.path())
          .put("message", words.apply(problem));
    }
  }

  AdmissionAnswer patch(ArrayNode operations) {
    if (!operations.isEmpty()) {
      response.put("patchType", "JSONPatch");
      response.put("patch", Base64.getEncoder().encodeToString(bytes(operations)));
    }
    return this;
  }

  AdmissionAnswer warnings(List<String> warnings) {
    if (!warnings.isEmpty()) {
      ArrayNode list = response.putArray("warnings");
      warnings.stream().distinct().limit(MOST_WARNINGS).forEach(each -> list.add(oneLine(each)));
    }
    return this;
  }

  AdmissionAnswer auditAnnotations(Map<String, String> annotations) {
    if (!annotations.isEmpty()) {
      ObjectNode object = response.putObject("auditAnnotations");
      annotations.forEach(object::put);
    }
    return this;
  }

  byte[] review() {
    ObjectNode review = JsonNodeFactory.instance.objectNode();
    review.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
    review.set("response", response);
    return bytes(review);
  }

  /**
   * Converts a warning to one line of limited length, because warnings are sent in an HTTP header.
   */
  private static String oneLine(String warning) {
    String line = warning.replace('\n', ' ');
    return line.length() > LONGEST_WARNING ? line.substring(0, LONGEST_WARNING - 3) + "..." : line;
  }

  private static byte[] bytes(JsonNode node) {
    try {
      return JSON.writeValueAsString(node).getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree can always be written", e);
    }
  }
}

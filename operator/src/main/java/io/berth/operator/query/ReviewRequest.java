package io.berth.operator.query;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.operator.http.QueryParameters;
import io.berth.serving.http.HttpAnswer;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The request to create a review, as far as all kinds of reviews have it in common: the options of
 * the request, and the metadata of the object.
 *
 * @param object the review without its status
 * @param unknown the paths of the fields that the kind does not have, if the user wants to be
 *     warned of them
 */
record ReviewRequest(RequestTarget target, ObjectNode object, List<String> unknown) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ObjectMapper STRICT =
      JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
  private static final List<String> FIELD_VALIDATION = List.of("", "Ignore", "Warn", "Strict");

  /** The fields of every review, beside those of its spec. */
  private static final Set<String> FIELDS =
      Set.of("apiVersion", "kind", "metadata", "spec", "status");

  /**
   * Reads a request.
   *
   * @param fields the known fields by the path of the object that contains them, such as {@code
   *     spec}
   * @param types returns the types of the objects in the spec of a review, by their path
   * @throws ApiException with 400 if it is not valid
   */
  static ReviewRequest read(
      RequestTarget target,
      QueryParameters query,
      byte[] body,
      Map<String, Set<String>> fields,
      Function<JsonNode, Map<String, Class<?>>> types)
      throws ApiException {
    String kind = target.resource().kind();
    ObjectNode review = object(kind, body);
    String dryRun = query.first("dryRun");
    if (!dryRun.isEmpty() && !dryRun.equals("All")) {
      throw new ApiException(400, "dryRun must be All");
    }
    String validation = query.first("fieldValidation");
    if (!FIELD_VALIDATION.contains(validation)) {
      throw new ApiException(400, "fieldValidation must be Ignore, Warn, or Strict");
    }
    List<String> unknown =
        validation.equals("Ignore")
            ? List.of()
            : unknownFields(review, fields, types.apply(review));
    if (validation.equals("Strict")) {
      refuse(unknown, duplicate(body));
    }
    if (!review.at("/metadata/namespace").asText(target.namespace()).equals(target.namespace())) {
      throw new ApiException(
          400, "the namespace of the object does not match the namespace of the request");
    }
    if (!review.path("kind").asText().equals(kind)
        || !review.path("apiVersion").asText().equals(QueryApi.API_VERSION)) {
      throw new ApiException(
          400, "the body must be a %s of %s".formatted(kind, QueryApi.API_VERSION));
    }
    review.remove("status");
    return new ReviewRequest(target, review, unknown);
  }

  /** Rejects what the API server rejects if {@code fieldValidation} is {@code Strict}. */
  private static void refuse(List<String> unknown, Optional<String> duplicate) throws ApiException {
    List<String> problems = new ArrayList<>();
    unknown.forEach(path -> problems.add("unknown field \"%s\"".formatted(path)));
    duplicate.ifPresent(problems::add);
    if (!problems.isEmpty()) {
      throw new ApiException(400, "strict decoding error: " + String.join(", ", problems));
    }
  }

  /** Returns what is wrong if a field is given twice. */
  private static Optional<String> duplicate(byte[] body) {
    try {
      STRICT.readTree(body);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("a field is given twice: " + e.getMessage());
    }
  }

  private static ObjectNode object(String kind, byte[] body) throws ApiException {
    try {
      if (JSON.readTree(body) instanceof ObjectNode object) {
        return object;
      }
    } catch (IOException e) {
      throw new ApiException(400, "the body is not JSON: " + e.getMessage());
    }
    throw new ApiException(400, "the body must be a " + kind);
  }

  private static List<String> unknownFields(
      JsonNode review, Map<String, Set<String>> fields, Map<String, Class<?>> types) {
    List<String> unknown = new ArrayList<>();
    addUnknown(unknown, "", review, FIELDS);
    fields.forEach(
        (path, known) ->
            addUnknown(unknown, path + ".", review.at("/" + path.replace('.', '/')), known));
    types.forEach(
        (path, type) ->
            unknown.addAll(UnknownFields.of(path, review.at("/" + path.replace('.', '/')), type)));
    unknown.sort(null);
    return unknown;
  }

  private static void addUnknown(
      List<String> unknown, String prefix, JsonNode object, Set<String> known) {
    object
        .fieldNames()
        .forEachRemaining(
            name -> {
              if (!known.contains(name)) {
                unknown.add(prefix + name);
              }
            });
  }

  /** Returns the spec of the review. */
  JsonNode spec() {
    return object.path("spec");
  }

  /** Returns the response with the answer. */
  HttpAnswer answered(ObjectNode status, Instant now) {
    ObjectNode review = object.deepCopy();
    ObjectNode metadata = review.withObject("/metadata");
    if (!target.namespace().isEmpty()) {
      metadata.put("namespace", target.namespace());
    }
    metadata.put("creationTimestamp", now.toString());
    review.set("status", status);
    HttpAnswer answer = ApiStatus.json(201, review);
    return unknown.isEmpty()
        ? answer
        : answer.with(
            "Warning",
            "299 - \"unknown field "
                + String.join(", unknown field ", unknown).replace("\"", "'")
                + "\"");
  }
}

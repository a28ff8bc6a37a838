package io.berth.sandbox.http;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.selector.FieldSelector;
import io.berth.sandbox.selector.LabelSelector;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * The query parameters of a list or watch.
 *
 * @param labels the label selector
 * @param fields the field selector
 * @param resourceVersion the requested version; may be empty
 * @param match the resourceVersionMatch: {@code Exact}, {@code NotOlderThan}, or empty
 * @param limit the maximum number of objects per page; 0 for no limit
 * @param from the position to continue from; empty for the first page
 * @param initialEvents the value of sendInitialEvents; empty if not set
 * @param bookmarks the value of allowWatchBookmarks
 */
record ListQuery(
    LabelSelector labels,
    FieldSelector fields,
    String resourceVersion,
    String match,
    int limit,
    Optional<Continue> from,
    Optional<Boolean> initialEvents,
    boolean bookmarks) {

  /**
   * The position at which a paginated list continues, encoded in the continue token.
   *
   * @param resourceVersion the version of all pages
   * @param after the last key of the previous page
   */
  record Continue(long resourceVersion, ObjectKey after) {
    String encode() {
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(
              Json.write(
                  Json.object()
                      .put("v", "meta.k8s.io/v1")
                      .put("rv", resourceVersion)
                      .put("namespace", after.namespace())
                      .put("name", after.name())));
    }

    static Continue decode(String token) {
      try {
        JsonNode read = Json.MAPPER.readTree(Base64.getUrlDecoder().decode(token));
        return new Continue(
            read.path("rv").asLong(),
            new ObjectKey(read.path("namespace").asText(), read.path("name").asText()));
      } catch (IllegalArgumentException | IOException e) {
        throw Failures.badRequest(
            "invalid continue token: continue key is not valid: " + e.getMessage());
      }
    }
  }

  static ListQuery of(Request request, ResourceType type, boolean watch) {
    String token = request.parameter("continue");
    String sendInitial = request.parameter("sendInitialEvents");
    ListQuery query =
        new ListQuery(
            LabelSelector.parse(request.parameter("labelSelector")),
            FieldSelector.parse(type, request.parameter("fieldSelector")),
            request.parameter("resourceVersion"),
            request.parameter("resourceVersionMatch"),
            request.number("limit").map(Math::toIntExact).orElse(0),
            token.isEmpty() ? Optional.empty() : Optional.of(Continue.decode(token)),
            sendInitial.isEmpty()
                ? Optional.empty()
                : Optional.of(request.flag("sendInitialEvents")),
            request.flag("allowWatchBookmarks"));
    List<FieldError> errors = query.problems(watch);
    if (!errors.isEmpty()) {
      throw Failures.invalid("meta.k8s.io", "ListOptions", "", errors);
    }
    return query;
  }

  private List<FieldError> problems(boolean watch) {
    List<FieldError> errors = new ArrayList<>();
    if (!match.isEmpty() && !match.equals("Exact") && !match.equals("NotOlderThan")) {
      errors.add(
          FieldError.notSupported(
              "resourceVersionMatch", match, List.of("Exact", "NotOlderThan", "")));
    }
    if (watch) {
      if (initialEvents.isPresent() && !match.equals("NotOlderThan")) {
        errors.add(
            FieldError.forbidden(
                "resourceVersionMatch",
                "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
      } else if (initialEvents.isEmpty() && !match.isEmpty()) {
        errors.add(
            FieldError.forbidden(
                "resourceVersionMatch",
                "resourceVersionMatch is forbidden for watch unless sendInitialEvents is"
                    + " provided"));
      }
      if (initialEvents.orElse(false) && !bookmarks) {
        errors.add(
            FieldError.forbidden(
                "sendInitialEvents",
                "sendInitialEvents requires setting allowWatchBookmarks to true"));
      }
    } else {
      listProblems(errors);
    }
    if (!resourceVersion.isEmpty()
        && !resourceVersion.chars().allMatch(c -> c >= '0' && c <= '9')) {
      errors.add(
          FieldError.invalid(
              "resourceVersion",
              resourceVersion,
              "strconv.ParseUint: parsing \"" + resourceVersion + "\": invalid syntax"));
    }
    return errors;
  }

  private void listProblems(List<FieldError> errors) {
    if (initialEvents.isPresent()) {
      errors.add(
          FieldError.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
    }
    if (!match.isEmpty() && resourceVersion.isEmpty()) {
      errors.add(
          FieldError.forbidden(
              "resourceVersionMatch",
              "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    }
    if (match.equals("Exact") && resourceVersion.equals("0")) {
      errors.add(
          FieldError.forbidden(
              "resourceVersionMatch",
              "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
    }
    if (!match.isEmpty() && from.isPresent()) {
      errors.add(
          FieldError.forbidden(
              "resourceVersionMatch",
              "resourceVersionMatch is forbidden when continue is provided"));
    }
  }

  /** The requested resourceVersion, or 0 if it is not set. */
  long version() {
    return resourceVersion.isEmpty() ? 0 : Long.parseLong(resourceVersion);
  }

  boolean selects(StoredObject object) {
    return labels.matches(object.labels()) && fields.matches(object);
  }

  boolean selectsEverything() {
    return labels.isEmpty() && fields.isEmpty();
  }
}

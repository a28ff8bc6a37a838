package io.berth.operator.query;

import io.berth.operator.http.FieldSelector;
import io.berth.operator.http.QueryParameters;
import java.util.Collection;
import java.util.Optional;

/**
 * The options of a request to list or watch objects.
 *
 * @param version the version after which a watch begins; empty to begin with the objects that exist
 * @param initialEvents whether a watch begins with the objects that exist; empty if the client does
 *     not say so
 * @param timeoutSeconds the longest time of a watch; empty if the client sets none
 */
record ListOptions(
    boolean watch,
    String version,
    Optional<Boolean> initialEvents,
    boolean bookmarks,
    Optional<Integer> timeoutSeconds,
    FieldSelector fields) {
  private static final String NAME = "metadata.name";
  private static final String NOT_OLDER = "NotOlderThan";

  /**
   * Reads the options.
   *
   * @param fields the fields by which the resource can be selected
   * @throws ApiException with 400 or 422 if they are not valid
   */
  static ListOptions read(QueryResource resource, QueryParameters query, Collection<String> fields)
      throws ApiException {
    if (!query.first("labelSelector").isBlank()) {
      throw new ApiException(
          400,
          "%s have no labels, so labelSelector is not supported; use fieldSelector with %s"
              .formatted(resource.plural(), String.join(", ", fields)));
    }
    boolean watch = isTrue(query.first("watch"));
    Optional<Boolean> initialEvents =
        query.first("sendInitialEvents").isEmpty()
            ? Optional.empty()
            : Optional.of(isTrue(query.first("sendInitialEvents")));
    checkMatch(watch, initialEvents.isPresent(), query.first("resourceVersionMatch"));
    String version = query.first("resourceVersion");
    if (watch && !version.isEmpty() && !version.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw new ApiException(
          400,
          "resourceVersion \"%s\" is not valid; give that of a list or an event"
              .formatted(version));
    }
    return new ListOptions(
        watch,
        version.equals("0") ? "" : version,
        initialEvents,
        isTrue(query.first("allowWatchBookmarks")),
        query.number("timeoutSeconds"),
        selector(query.first("fieldSelector"), fields));
  }

  static boolean isTrue(String value) {
    return value.equalsIgnoreCase("true") || value.equals("1");
  }

  private static void checkMatch(boolean watch, boolean initialEvents, String match)
      throws ApiException {
    if (initialEvents && !watch) {
      throw new ApiException(422, "sendInitialEvents is for watches; add watch=true");
    }
    if (initialEvents && !match.equals(NOT_OLDER)) {
      throw new ApiException(422, "sendInitialEvents needs resourceVersionMatch=" + NOT_OLDER);
    }
    if (watch && !initialEvents && !match.isEmpty()) {
      throw new ApiException(
          422, "resourceVersionMatch is for watches with sendInitialEvents; leave it out");
    }
    if (!watch && match.equals("Exact")) {
      throw new ApiException(
          400, "resourceVersionMatch=Exact is not supported; lists show the latest version");
    }
  }

  private static FieldSelector selector(String text, Collection<String> fields)
      throws ApiException {
    try {
      return FieldSelector.parse(text, fields);
    } catch (IllegalArgumentException e) {
      throw new ApiException(400, String.valueOf(e.getMessage()));
    }
  }

  /** Returns the name of the only object that is selected; empty if several may be. */
  String name() {
    return fields.required(NAME).orElse("");
  }

  /** Returns whether a watch begins with the objects that exist. */
  boolean startsWithObjects() {
    return initialEvents.orElse(version.isEmpty());
  }
}

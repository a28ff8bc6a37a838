package io.berth.sandbox.failure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.store.Json;
import java.util.List;

/**
 * Factory methods for API errors, with the messages of the real API server. Resources are qualified
 * by their group, as in {@code pods} or {@code deployments.apps}.
 */
public final class Failures {
  private Failures() {}

  /** 400: the request is malformed. */
  public static ApiException badRequest(String message) {
    return new ApiException(400, "BadRequest", message, Json.object());
  }

  /** 401: the request is not authenticated. */
  public static ApiException unauthorized() {
    return new ApiException(401, "Unauthorized", "Unauthorized", Json.object());
  }

  /** 403: {@code pods "a" is forbidden: why}. */
  public static ApiException forbidden(String resource, String name, String why) {
    String what = name.isEmpty() ? resource : resource + " \"" + name + "\"";
    return new ApiException(
        403, "Forbidden", what + " is forbidden: " + why, details(resource, name));
  }

  /**
   * A refusal by an admission policy, in the words of 403 but with the reason that the policy
   * names.
   */
  public static ApiException denied(String resource, String name, String reason, String why) {
    int code =
        switch (reason) {
          case "Forbidden" -> 403;
          case "Unauthorized" -> 401;
          case "RequestEntityTooLarge" -> 413;
          default -> 422;
        };
    ObjectNode details = details(resource, name);
    details.putArray("causes").addObject().put("message", why);
    return new ApiException(code, reason, forbidden(resource, name, why).getMessage(), details);
  }

  /** 403 for a non-resource path. */
  public static ApiException forbiddenPath(String why) {
    return new ApiException(403, "Forbidden", "forbidden: " + why, Json.object());
  }

  /** 404: {@code pods "a" not found}. */
  public static ApiException notFound(String resource, String name) {
    return new ApiException(
        404, "NotFound", resource + " \"" + name + "\" not found", details(resource, name));
  }

  /** 404 for a path that is not served. */
  public static ApiException noSuchPath() {
    ObjectNode details = Json.object();
    return new ApiException(
        404, "NotFound", "the server could not find the requested resource", details);
  }

  /** 405: the resource does not support the method. */
  public static ApiException methodNotAllowed() {
    return new ApiException(
        405,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
        Json.object());
  }

  /** 406: none of the accepted media types is available. */
  public static ApiException notAcceptable(String accepted) {
    return new ApiException(
        406,
        "NotAcceptable",
        "only the following media types are accepted: " + accepted,
        Json.object());
  }

  /** 409: {@code pods "a" already exists}. */
  public static ApiException alreadyExists(String resource, String name) {
    return new ApiException(
        409,
        "AlreadyExists",
        resource + " \"" + name + "\" already exists",
        details(resource, name));
  }

  /** 409: {@code Operation cannot be fulfilled on pods "a": why}. */
  public static ApiException conflict(String resource, String name, String why) {
    return new ApiException(
        409,
        "Conflict",
        "Operation cannot be fulfilled on " + resource + " \"" + name + "\": " + why,
        details(resource, name));
  }

  /** 409 for an update with an outdated resourceVersion. */
  public static ApiException modified(String resource, String name) {
    return conflict(
        resource,
        name,
        "the object has been modified; please apply your changes to the latest version and try"
            + " again");
  }

  /**
   * 409 for a server-side apply, with one error with reason {@code FieldManagerConflict} per
   * conflicting field.
   */
  public static ApiException applyConflict(String message, List<FieldError> conflicts) {
    ObjectNode details = Json.object();
    ApiException.causes(details, conflicts);
    return new ApiException(409, "Conflict", message, details);
  }

  /**
   * 500 for an apply configuration that does not match the schema; the real API server also returns
   * 500.
   */
  public static ApiException untypedPatch(String message) {
    return new ApiException(500, "", message, Json.object());
  }

  /** 410 for a watch or list from a resourceVersion that is no longer in the history. */
  public static ApiException expired(String message) {
    return new ApiException(410, "Expired", message, Json.object());
  }

  /** 413: the request body exceeds the limit, in bytes. */
  public static ApiException tooLarge(int limit) {
    return new ApiException(
        413, "RequestEntityTooLarge", "Request entity too large: limit is " + limit, Json.object());
  }

  /** 415: the media type of the request body is not supported. */
  public static ApiException unsupportedMediaType(String message) {
    return new ApiException(415, "UnsupportedMediaType", message, Json.object());
  }

  /**
   * 422: {@code Pod "a" is invalid: ...}. The kind is qualified by its group, as in {@code
   * Deployment.apps}.
   */
  public static ApiException invalid(
      String group, String kind, String name, List<FieldError> errors) {
    ObjectNode details = Json.object();
    if (!name.isEmpty()) {
      details.put("name", name);
    }
    if (!group.isEmpty()) {
      details.put("group", group);
    }
    details.put("kind", kind);
    ApiException.causes(details, errors);
    String qualified = group.isEmpty() ? kind : kind + "." + group;
    return new ApiException(
        422,
        "Invalid",
        qualified + " \"" + name + "\" is invalid: " + ApiException.aggregate(errors),
        details);
  }

  /** 422 without a field, for example for a patch that cannot be applied. */
  public static ApiException unprocessable(String message) {
    return new ApiException(422, "Invalid", message, Json.object());
  }

  /** 429 for an eviction that a PodDisruptionBudget does not allow. */
  public static ApiException tooManyRequests(String message, List<FieldError> causes) {
    ObjectNode details = Json.object();
    if (!causes.isEmpty()) {
      ApiException.causes(details, causes);
    }
    return new ApiException(429, "TooManyRequests", message, details);
  }

  /** 500: {@code Internal error occurred: why}. */
  public static ApiException internal(String why) {
    ObjectNode details = Json.object();
    details.putArray("causes").addObject().put("message", why);
    return new ApiException(500, "InternalError", "Internal error occurred: " + why, details);
  }

  /** 500 with the given message. */
  public static ApiException internalPlain(String message) {
    return new ApiException(500, "InternalError", message, Json.object());
  }

  /** 504 for a resourceVersion that is newer than the current one. */
  public static ApiException tooLargeResourceVersion(long asked, long current) {
    ObjectNode details = Json.object();
    details
        .putArray("causes")
        .addObject()
        .put("reason", "ResourceVersionTooLarge")
        .put("message", "Too large resource version");
    details.put("retryAfterSeconds", 1);
    return new ApiException(
        504,
        "Timeout",
        "Timeout: Too large resource version: " + asked + ", current: " + current,
        details);
  }

  /** 503 with the given message. */
  public static ApiException unavailable(String message) {
    return new ApiException(503, "ServiceUnavailable", message, Json.object());
  }

  private static ObjectNode details(String resource, String name) {
    ObjectNode details = Json.object();
    if (!name.isEmpty()) {
      details.put("name", name);
    }
    int dot = resource.indexOf('.');
    if (dot > 0) {
      details.put("group", resource.substring(dot + 1)).put("kind", resource.substring(0, dot));
    } else if (!resource.isEmpty()) {
      details.put("kind", resource);
    }
    return details;
  }
}

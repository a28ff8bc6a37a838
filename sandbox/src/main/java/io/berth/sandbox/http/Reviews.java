package io.berth.sandbox.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.auth.Access;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.auth.RbacAuthorizer;
import io.berth.sandbox.auth.Tokens;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.ClusterApi;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.StoredObject;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Kinds that are evaluated instead of stored: TokenRequest, TokenReview, SelfSubjectReview, and the
 * access reviews.
 */
final class Reviews {
  private static final long DEFAULT_SECONDS = 3600;
  private static final long SHORTEST_SECONDS = 600;

  private final ClusterApi api;
  private final Tokens tokens;
  private final RbacAuthorizer authorizer;
  private final Clock clock;

  Reviews(ClusterApi api, Tokens tokens, RbacAuthorizer authorizer, Clock clock) {
    this.api = api;
    this.tokens = tokens;
    this.authorizer = authorizer;
    this.clock = clock;
  }

  boolean answers(ResourceType type, String subresource) {
    return subresource.equals("token")
        || type.group().equals("authentication.k8s.io")
        || type.group().equals("authorization.k8s.io");
  }

  ObjectNode answer(Caller caller, Target target, ObjectNode body) {
    if (target.subresource().equals("token")) {
      return tokenRequest(target, body);
    }
    ObjectNode answer = body;
    answer.put("kind", target.type().kind()).put("apiVersion", target.type().apiVersion());
    answer.withObjectProperty("metadata").put("creationTimestamp", now());
    JsonNode spec = body.path("spec");
    switch (target.type().plural()) {
      case "tokenreviews" -> answer.set("status", tokenReview(spec));
      case "selfsubjectreviews" -> {
        ObjectNode status = Json.object();
        status.set("userInfo", userInfo(caller));
        answer.set("status", status);
      }
      case "selfsubjectaccessreviews" -> answer.set("status", accessReview(caller, spec));
      case "subjectaccessreviews", "localsubjectaccessreviews" ->
          answer.set("status", accessReview(subject(spec), spec));
      case "selfsubjectrulesreviews" ->
          answer.set("status", rulesReview(caller, spec.path("namespace").asText()));
      default -> throw Failures.methodNotAllowed();
    }
    return answer;
  }

  private String now() {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private ObjectNode tokenRequest(Target target, ObjectNode body) {
    StoredObject account = api.get(target.type(), target.scope(), target.name());
    long seconds = body.path("spec").path("expirationSeconds").asLong(DEFAULT_SECONDS);
    if (seconds < SHORTEST_SECONDS) {
      throw Failures.invalid(
          "authentication.k8s.io",
          "TokenRequest",
          "",
          List.of(
              FieldError.invalid(
                  "spec.expirationSeconds",
                  seconds,
                  "may not specify a duration less than 10 minutes")));
    }
    ObjectNode answer =
        Json.object().put("kind", "TokenRequest").put("apiVersion", "authentication.k8s.io/v1");
    answer
        .putObject("metadata")
        .put("name", target.name())
        .put("namespace", target.namespace())
        .put("creationTimestamp", now());
    ObjectNode spec = answer.putObject("spec");
    spec.setAll(body.withObjectProperty("spec"));
    spec.put("expirationSeconds", seconds);
    answer
        .putObject("status")
        .put(
            "token",
            tokens.issue(account, Duration.ofSeconds(seconds), texts(spec.path("audiences"))))
        .put(
            "expirationTimestamp",
            clock.instant().plusSeconds(seconds).truncatedTo(ChronoUnit.SECONDS).toString());
    return answer;
  }

  private ObjectNode tokenReview(JsonNode spec) {
    String token = spec.path("token").asText();
    List<String> asked = texts(spec.path("audiences"));
    Optional<Caller> caller =
        asked.isEmpty() ? tokens.verify(token, "") : tokens.verify(token, "", asked);
    ObjectNode status = Json.object();
    if (caller.isPresent()) {
      status.put("authenticated", true);
      status.set("user", userInfo(caller.get()));
      ArrayNode audiences = status.putArray("audiences");
      tokens.common(token, asked).forEach(audiences::add);
    } else {
      status.put("error", "[invalid bearer token]");
      status.putObject("user");
    }
    return status;
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(text -> texts.add(text.asText()));
    return texts;
  }

  private static ObjectNode userInfo(Caller caller) {
    ObjectNode user = Json.object().put("username", caller.name());
    if (!caller.uid().isEmpty()) {
      user.put("uid", caller.uid());
    }
    ArrayNode groups = user.putArray("groups");
    caller.groups().forEach(groups::add);
    if (!caller.extra().isEmpty()) {
      ObjectNode extra = user.putObject("extra");
      caller.extra().forEach((name, values) -> values.forEach(extra.withArray(name)::add));
    }
    return user;
  }

  private static Caller subject(JsonNode spec) {
    List<String> groups = new ArrayList<>();
    spec.path("groups").forEach(group -> groups.add(group.asText()));
    Map<String, List<String>> extra = new HashMap<>();
    spec.path("extra")
        .properties()
        .forEach(
            entry -> {
              List<String> values = new ArrayList<>();
              entry.getValue().forEach(value -> values.add(value.asText()));
              extra.put(entry.getKey(), values);
            });
    return new Caller(spec.path("user").asText(), spec.path("uid").asText(), groups, extra, "");
  }

  private ObjectNode accessReview(Caller caller, JsonNode spec) {
    JsonNode resource = spec.path("resourceAttributes");
    Access access =
        resource.isObject()
            ? new Access(
                resource.path("verb").asText(),
                resource.path("group").asText(),
                resource.path("resource").asText(),
                resource.path("subresource").asText(),
                resource.path("namespace").asText(),
                resource.path("name").asText(),
                "")
            : Access.toPath(
                spec.path("nonResourceAttributes").path("verb").asText(),
                spec.path("nonResourceAttributes").path("path").asText());
    return Json.object().put("allowed", authorizer.allows(caller, access));
  }

  private ObjectNode rulesReview(Caller caller, String namespace) {
    ObjectNode status = Json.object();
    ArrayNode resources = status.putArray("resourceRules");
    ArrayNode paths = status.putArray("nonResourceRules");
    for (JsonNode rule : authorizer.rules(caller, namespace)) {
      (rule.path("nonResourceURLs").isEmpty() ? resources : paths).add(rule.deepCopy());
    }
    if (caller.groups().contains("system:masters")) {
      ObjectNode everything = resources.addObject();
      everything.putArray("verbs").add("*");
      everything.putArray("apiGroups").add("*");
      everything.putArray("resources").add("*");
      ObjectNode everywhere = paths.addObject();
      everywhere.putArray("verbs").add("*");
      everywhere.putArray("nonResourceURLs").add("*");
    }
    return status.put("incomplete", false);
  }
}

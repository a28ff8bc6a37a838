package io.berth.sandbox.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import java.util.UUID;

/** The {@code request} of an admission.k8s.io/v1 AdmissionReview. */
public final class ReviewRequest {
  private ReviewRequest() {}

  /** Returns the review of a request, with a UID of its own. */
  public static ObjectNode of(AdmissionRequest request) {
    ResourceType type = request.type();
    ObjectNode review = Json.object();
    review.put("uid", UUID.randomUUID().toString());
    review.set("kind", kind(type));
    review.set("resource", resource(type));
    if (!request.subresource().isEmpty()) {
      review.put("subResource", request.subresource());
    }
    review.set("requestKind", kind(type));
    review.set("requestResource", resource(type));
    if (!request.subresource().isEmpty()) {
      review.put("requestSubResource", request.subresource());
    }
    if (!request.name().isEmpty()) {
      review.put("name", request.name());
    }
    if (!request.namespace().isEmpty()) {
      review.put("namespace", request.namespace());
    }
    review.put("operation", request.operation().name());
    review.set("userInfo", user(request.caller()));
    review.set("object", request.object().<JsonNode>map(each -> each).orElse(NullNode.instance));
    review.set(
        "oldObject", request.oldObject().<JsonNode>map(each -> each).orElse(NullNode.instance));
    review.put("dryRun", request.dryRun());
    review.set("options", request.options());
    return review;
  }

  private static ObjectNode kind(ResourceType type) {
    return Json.object()
        .put("group", type.group())
        .put("version", type.version())
        .put("kind", type.kind());
  }

  private static ObjectNode resource(ResourceType type) {
    return Json.object()
        .put("group", type.group())
        .put("version", type.version())
        .put("resource", type.plural());
  }

  private static ObjectNode user(Caller caller) {
    ObjectNode user = Json.object();
    user.put("username", caller.name());
    if (!caller.uid().isEmpty()) {
      user.put("uid", caller.uid());
    }
    caller.groups().forEach(user.putArray("groups")::add);
    if (!caller.extra().isEmpty()) {
      ObjectNode extra = user.putObject("extra");
      caller.extra().forEach((name, values) -> values.forEach(extra.withArray(name)::add));
    }
    return user;
  }
}

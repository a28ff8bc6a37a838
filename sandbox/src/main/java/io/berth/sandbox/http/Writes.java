package io.berth.sandbox.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.patch.PatchType;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.DeleteOptions;
import io.berth.sandbox.rest.Operations;
import io.berth.sandbox.rest.Views;
import io.berth.sandbox.rest.WriteOptions;
import io.berth.sandbox.rest.WriteOptions.FieldValidation;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.StoredObject;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Serves all write requests. */
final class Writes {
  private static final String PATCH_TYPES =
      "application/json-patch+json, application/merge-patch+json,"
          + " application/strategic-merge-patch+json, application/apply-patch+yaml";

  private final Operations operations;
  private final Reviews reviews;

  Writes(Operations operations, Reviews reviews) {
    this.operations = operations;
    this.reviews = reviews;
  }

  void create(Request request, Target target, Caller caller) throws IOException {
    WriteOptions options = options(request);
    ObjectNode body = Bodies.object(request, options.fieldValidation());
    ResourceType type = target.type();
    if (reviews.answers(type, target.subresource())) {
      if (Accepted.of(request).form() != Accepted.Form.OBJECT) {
        throw Failures.notAcceptable("application/json");
      }
      Answer.json(request, 201, reviews.answer(caller, target, body));
      return;
    }
    switch (target.subresource()) {
      case "" -> {
        if (type.is("", "bindings")) {
          bind(
              request,
              target.namespace(),
              body.path("metadata").path("name").asText(),
              body,
              caller,
              options);
        } else if (!target.name().isEmpty()) {
          throw Failures.methodNotAllowed();
        } else {
          StoredObject made = operations.create(caller, type, target.namespace(), body, options);
          Answer.object(request, 201, type, made);
        }
      }
      case "binding" -> bind(request, target.namespace(), target.name(), body, caller, options);
      case "eviction" -> {
        DeleteOptions delete = deleteOptions(request, body.path("deleteOptions"));
        operations.evict(caller, target.namespace(), target.name(), body, delete);
        Answer.json(request, 201, success());
      }
      default -> throw Failures.methodNotAllowed();
    }
  }

  private void bind(
      Request request,
      String namespace,
      String pod,
      ObjectNode body,
      Caller caller,
      WriteOptions options)
      throws IOException {
    operations.bind(caller, namespace, pod, body, options);
    Answer.json(request, 201, success());
  }

  void update(Request request, Target target, Caller caller) throws IOException {
    WriteOptions options = options(request);
    ObjectNode body = Bodies.object(request, options.fieldValidation());
    if (target.subresource().equals("scale")) {
      Answer.json(
          request,
          200,
          operations
              .scaling()
              .update(caller, target.type(), target.namespace(), target.name(), body, options));
      return;
    }
    boolean existed =
        operations
            .store()
            .get(target.type().storage(), target.type().key(target.scope(), target.name()))
            .isPresent();
    StoredObject updated =
        operations.update(
            caller,
            target.type(),
            target.namespace(),
            target.name(),
            target.subresource(),
            body,
            options);
    Answer.object(request, existed ? 200 : 201, target.type(), updated);
  }

  void patch(Request request, Target target, Caller caller) throws IOException {
    PatchType patchType =
        PatchType.of(request.header("Content-Type"))
            .orElseThrow(
                () ->
                    Failures.unsupportedMediaType(
                        "the body of the request was in an unknown format - accepted media types"
                            + " include: "
                            + PATCH_TYPES));
    WriteOptions options = options(request, patchType != PatchType.APPLY);
    JsonNode patch = Bodies.patch(request, patchType == PatchType.APPLY, options.fieldValidation());
    if (target.subresource().equals("scale")) {
      ObjectNode scale =
          operations.scaling().show(operations.get(target.type(), target.scope(), target.name()));
      scale.withObjectProperty("metadata").remove("resourceVersion");
      scale.withObjectProperty("spec").set("replicas", patch.path("spec").path("replicas"));
      Answer.json(
          request,
          200,
          operations
              .scaling()
              .update(caller, target.type(), target.namespace(), target.name(), scale, options));
      return;
    }
    boolean existed =
        operations
            .store()
            .get(target.type().storage(), target.type().key(target.scope(), target.name()))
            .isPresent();
    StoredObject patched =
        operations.patch(
            caller,
            target.type(),
            target.namespace(),
            target.name(),
            target.subresource(),
            patchType,
            patch,
            options);
    Answer.object(request, existed ? 200 : 201, target.type(), patched);
  }

  void delete(Request request, Target target, Caller caller) throws IOException {
    DeleteOptions options = deleteOptions(request, Bodies.optional(request));
    StoredObject gone =
        operations.delete(caller, target.type(), target.namespace(), target.name(), options);
    boolean remains =
        operations
            .store()
            .get(target.type().storage(), gone.key())
            .filter(object -> object.uid().equals(gone.uid()))
            .isPresent();
    if (remains || target.type().is("", "pods")) {
      Answer.object(request, 200, target.type(), gone);
    } else {
      ObjectNode status = success();
      ObjectNode details = status.putObject("details").put("name", gone.key().name());
      if (!target.type().group().isEmpty()) {
        details.put("group", target.type().group());
      }
      details.put("kind", target.type().plural()).put("uid", gone.uid());
      Answer.json(request, 200, status);
    }
  }

  void deleteCollection(Request request, Target target, Caller caller) throws IOException {
    DeleteOptions options = deleteOptions(request, Bodies.optional(request));
    ListQuery query = ListQuery.of(request, target.type(), false);
    List<StoredObject> selected =
        operations.store().list(target.type().storage(), target.scope()).objects().stream()
            .filter(query::selects)
            .toList();
    ObjectNode list =
        Json.object()
            .put("kind", target.type().listKind())
            .put("apiVersion", target.type().apiVersion());
    list.putObject("metadata")
        .put("resourceVersion", Long.toString(operations.store().resourceVersion()));
    var items = list.putArray("items");
    for (StoredObject object : selected) {
      try {
        StoredObject gone =
            operations.delete(
                caller, target.type(), object.key().namespace(), object.key().name(), options);
        items.add(Views.tree(target.type(), gone));
      } catch (ApiException e) {
        if (e.code() != 404) {
          throw e;
        }
      }
    }
    Answer.json(request, 200, list);
  }

  static ObjectNode success() {
    ObjectNode status = Json.object().put("kind", "Status").put("apiVersion", "v1");
    status.putObject("metadata");
    return status.put("status", "Success");
  }

  private static WriteOptions options(Request request) {
    return options(request, true);
  }

  private static WriteOptions options(Request request, boolean defaultManager) {
    String validation = request.parameter("fieldValidation");
    FieldValidation fieldValidation =
        switch (validation) {
          case "", "Warn" -> FieldValidation.WARN;
          case "Ignore" -> FieldValidation.IGNORE;
          case "Strict" -> FieldValidation.STRICT;
          default ->
              throw Failures.invalid(
                  "meta.k8s.io",
                  "CreateOptions",
                  "",
                  List.of(
                      FieldError.notSupported(
                          "fieldValidation", validation, List.of("Ignore", "Strict", "Warn"))));
        };
    String manager = request.parameter("fieldManager");
    return new WriteOptions(
        manager.isEmpty() && defaultManager ? request.agentName() : manager,
        dryRun(request.parameter("dryRun")),
        fieldValidation,
        request.flag("force"),
        request::duplicates,
        request::warn);
  }

  private static boolean dryRun(String value) {
    if (!value.isEmpty() && !value.equals("All")) {
      throw Failures.invalid(
          "meta.k8s.io",
          "CreateOptions",
          "",
          List.of(FieldError.notSupported("dryRun", value, List.of("All"))));
    }
    return value.equals("All");
  }

  private static DeleteOptions deleteOptions(Request request, JsonNode body) {
    JsonNode preconditions = body.path("preconditions");
    Optional<Long> grace = request.number("gracePeriodSeconds");
    if (body.path("gracePeriodSeconds").isNumber()) {
      grace = Optional.of(body.path("gracePeriodSeconds").asLong());
    }
    String policy = body.path("propagationPolicy").asText(request.parameter("propagationPolicy"));
    if (!policy.isEmpty() && !List.of("Background", "Foreground", "Orphan").contains(policy)) {
      throw Failures.invalid(
          "meta.k8s.io",
          "DeleteOptions",
          "",
          List.of(
              FieldError.notSupported(
                  "propagationPolicy", policy, List.of("Background", "Foreground", "Orphan"))));
    }
    if (policy.isEmpty() && body.hasNonNull("orphanDependents")) {
      policy = body.path("orphanDependents").asBoolean() ? "Orphan" : "Background";
    }
    return new DeleteOptions(
        grace,
        text(preconditions.path("uid")),
        text(preconditions.path("resourceVersion")),
        policy.isEmpty() ? Optional.empty() : Optional.of(policy),
        dryRun(body.path("dryRun").path(0).asText(request.parameter("dryRun"))));
  }

  private static Optional<String> text(JsonNode node) {
    return node.isTextual() && !node.asText().isEmpty()
        ? Optional.of(node.asText())
        : Optional.empty();
  }
}

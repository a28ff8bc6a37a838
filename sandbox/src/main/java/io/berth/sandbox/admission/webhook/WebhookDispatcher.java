package io.berth.sandbox.admission.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.admission.AdmissionRequest;
import io.berth.sandbox.admission.RequestNamespaces;
import io.berth.sandbox.admission.ReviewRequest;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.patch.PatchType;
import io.berth.sandbox.patch.Patches;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.ObjectStore;
import io.berth.sandbox.store.StoredObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Calls the webhooks of the stored webhook configurations. */
public final class WebhookDispatcher implements AutoCloseable {
  private static final String GROUP = "admissionregistration.k8s.io";

  private final ObjectStore store;
  private final ResourceRegistry registry;
  private final RequestNamespaces namespaces;
  private final WebhookCalls calls;
  private final Patches patches = new Patches();
  private final Map<ObjectKey, Parsed> mutating = new ConcurrentHashMap<>();
  private final Map<ObjectKey, Parsed> validating = new ConcurrentHashMap<>();

  private record Parsed(StoredObject source, List<Webhook> webhooks) {}

  /**
   * Creates a dispatcher over a store.
   *
   * @param services resolves the addresses of webhooks that are referenced by Service
   */
  public WebhookDispatcher(ObjectStore store, ResourceRegistry registry, ServiceResolver services) {
    this.store = store;
    this.registry = registry;
    this.namespaces = new RequestNamespaces(store, registry);
    this.calls = new WebhookCalls(services);
  }

  /**
   * Calls the mutating webhooks and returns the resulting object. A webhook with reinvocationPolicy
   * IfNeeded is called once more if a later webhook changed the object.
   *
   * @param afterChange called with each changed object, to apply defaults in place
   */
  public ObjectNode mutate(AdmissionRequest request, Consumer<ObjectNode> afterChange) {
    List<Webhook> reaching = reaching(request, webhooks("mutatingwebhookconfigurations", mutating));
    ObjectNode object = request.object().orElseGet(Json::object);
    if (reaching.isEmpty()) {
      return object;
    }
    Set<Webhook> asked = new LinkedHashSet<>();
    Set<Webhook> again = new LinkedHashSet<>();
    for (Webhook webhook : reaching) {
      ObjectNode changed = mutateOnce(webhook, request.with(object));
      if (!changed.equals(object)) {
        afterChange.accept(changed);
        object = changed;
        again.addAll(asked);
      }
      if (webhook.isReinvoked()) {
        asked.add(webhook);
      }
    }
    for (Webhook webhook : again) {
      ObjectNode changed = mutateOnce(webhook, request.with(object));
      if (!changed.equals(object)) {
        afterChange.accept(changed);
        object = changed;
      }
    }
    return object;
  }

  private ObjectNode mutateOnce(Webhook webhook, AdmissionRequest request) {
    ObjectNode object = request.object().orElseThrow();
    Optional<JsonNode> response = ask(webhook, request);
    if (response.isEmpty() || response.get().path("patch").asText("").isEmpty()) {
      return object;
    }
    try {
      String type = response.get().path("patchType").asText("");
      if (!type.equals("JSONPatch")) {
        throw new IOException("webhook returned response.patchType \"" + type + "\"");
      }
      byte[] patch = Base64.getDecoder().decode(response.get().path("patch").asText());
      return patches.apply(
          PatchType.JSON,
          object,
          Json.MAPPER.readTree(new String(patch, StandardCharsets.UTF_8)),
          Optional.empty());
    } catch (IOException | IllegalArgumentException e) {
      return failed(webhook, String.valueOf(e.getMessage()), object);
    } catch (ApiException e) {
      String why = e.status().at("/details/causes/0/message").asText(e.getMessage());
      return failed(webhook, why, object);
    }
  }

  private static ObjectNode failed(Webhook webhook, String why, ObjectNode unchanged) {
    if (webhook.ignoresFailures()) {
      return unchanged;
    }
    throw callFailed(webhook, why);
  }

  /** Calls the validating webhooks until one denies the request. */
  public void validate(AdmissionRequest request) {
    for (Webhook webhook :
        reaching(request, webhooks("validatingwebhookconfigurations", validating))) {
      ask(webhook, request);
    }
  }

  /**
   * Calls a webhook and returns its response if it allows the request; empty if the webhook is not
   * called or its failure is ignored.
   */
  private Optional<JsonNode> ask(Webhook webhook, AdmissionRequest request) {
    ObjectNode review = ReviewRequest.of(request);
    List<String> problems = new ArrayList<>();
    switch (webhook.conditions(request, review, problems)) {
      case NO -> {
        return Optional.empty();
      }
      case ERROR -> {
        if (webhook.ignoresFailures()) {
          return Optional.empty();
        }
        throw Failures.forbidden(
            request.type().qualified(), request.name(), String.join(", ", problems));
      }
      case YES -> {}
    }
    if (request.dryRun() && webhook.hasSideEffects()) {
      throw Failures.badRequest(
          "admission webhook \"" + webhook.name() + "\" does not support dry run");
    }
    JsonNode response;
    try {
      response = calls.call(webhook, review);
    } catch (IOException e) {
      if (webhook.ignoresFailures()) {
        return Optional.empty();
      }
      throw callFailed(webhook, String.valueOf(e.getMessage()));
    }
    response.path("warnings").forEach(warning -> request.warnings().accept(warning.asText()));
    if (!response.path("allowed").asBoolean()) {
      throw denied(webhook, response.path("status"));
    }
    return Optional.of(response);
  }

  private static ApiException callFailed(Webhook webhook, String why) {
    return Failures.internal("failed calling webhook \"" + webhook.name() + "\": " + why);
  }

  private static ApiException denied(Webhook webhook, JsonNode status) {
    String by = "admission webhook \"" + webhook.name() + "\" denied the request";
    String message = status.path("message").asText("");
    String reason = status.path("reason").asText("");
    String words =
        !message.isEmpty()
            ? by + ": " + message
            : !reason.isEmpty() ? by + ": " + reason : by + " without explanation";
    ObjectNode answer = Json.object();
    answer.put("kind", "Status").put("apiVersion", "v1");
    answer.putObject("metadata");
    answer.put("status", "Failure").put("message", words);
    if (!reason.isEmpty()) {
      answer.put("reason", reason);
    }
    if (status.has("details")) {
      answer.set("details", status.get("details"));
    }
    answer.put("code", Math.max(400, status.path("code").asInt(0)));
    return new ApiException(answer);
  }

  private List<Webhook> reaching(AdmissionRequest request, List<Webhook> all) {
    if (all.isEmpty() || request.type().group().equals(GROUP)) {
      return List.of();
    }
    Map<String, String> labels = namespaces.labels(request);
    return all.stream().filter(webhook -> webhook.reaches(request, labels)).toList();
  }

  /**
   * Returns all webhooks in the order of their configurations' names, as the API server calls them.
   */
  private List<Webhook> webhooks(String plural, Map<ObjectKey, Parsed> cache) {
    ResourceType type = registry.builtIn(GROUP, plural);
    List<StoredObject> configurations = store.list(type.storage(), null).objects();
    if (configurations.isEmpty()) {
      return List.of();
    }
    List<Webhook> all = new ArrayList<>();
    for (StoredObject configuration : configurations) {
      Parsed parsed = cache.get(configuration.key());
      if (parsed == null || parsed.source.resourceVersion() != configuration.resourceVersion()) {
        List<Webhook> webhooks = new ArrayList<>();
        configuration.json().path("webhooks").forEach(json -> webhooks.add(new Webhook(json)));
        parsed = new Parsed(configuration, List.copyOf(webhooks));
        cache.put(configuration.key(), parsed);
      }
      all.addAll(parsed.webhooks);
    }
    return all;
  }

  @Override
  public void close() {
    calls.close();
  }
}

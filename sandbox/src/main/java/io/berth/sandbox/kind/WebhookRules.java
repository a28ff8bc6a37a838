package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.FieldError;
import java.util.ArrayList;
import java.util.List;

/** The rules of webhook configurations: defaults and required fields. */
final class WebhookRules implements KindRules {
  private static final int TIMEOUT_SECONDS = 10;
  private static final int LONGEST_TIMEOUT_SECONDS = 30;

  private final boolean mutating;

  WebhookRules(boolean mutating) {
    this.mutating = mutating;
  }

  @Override
  public boolean countsGenerations() {
    return true;
  }

  @Override
  public void applyDefaults(ObjectNode configuration) {
    for (JsonNode each : configuration.path("webhooks")) {
      if (each instanceof ObjectNode webhook) {
        Defaults.text(webhook, "failurePolicy", "Fail");
        Defaults.text(webhook, "matchPolicy", "Equivalent");
        Defaults.object(webhook, "namespaceSelector");
        Defaults.object(webhook, "objectSelector");
        Defaults.number(webhook, "timeoutSeconds", TIMEOUT_SECONDS);
        if (mutating) {
          Defaults.text(webhook, "reinvocationPolicy", "Never");
        }
        for (JsonNode rule : webhook.path("rules")) {
          if (rule instanceof ObjectNode one) {
            Defaults.text(one, "scope", "*");
          }
        }
        if (webhook.path("clientConfig").path("service") instanceof ObjectNode service) {
          Defaults.number(service, "port", 443);
        }
      }
    }
  }

  @Override
  public List<FieldError> validateCreate(ObjectNode configuration) {
    List<FieldError> errors = new ArrayList<>();
    int i = 0;
    for (JsonNode webhook : configuration.path("webhooks")) {
      String at = "webhooks[" + i++ + "]";
      String name = webhook.path("name").asText();
      if (name.isEmpty()) {
        errors.add(FieldError.required(at + ".name", ""));
      } else if (name.split("\\.", -1).length < 3) {
        errors.add(
            FieldError.invalid(
                at + ".name",
                name,
                "should be a domain with at least three segments separated by dots"));
      }
      if (webhook.path("admissionReviewVersions").isEmpty()) {
        errors.add(
            FieldError.required(
                at + ".admissionReviewVersions", "must specify one of v1, v1beta1"));
      }
      String sideEffects = webhook.path("sideEffects").asText();
      if (sideEffects.isEmpty()) {
        errors.add(
            FieldError.required(at + ".sideEffects", "must specify one of None, NoneOnDryRun"));
      } else if (!sideEffects.equals("None") && !sideEffects.equals("NoneOnDryRun")) {
        errors.add(
            FieldError.notSupported(
                at + ".sideEffects", sideEffects, List.of("None", "NoneOnDryRun")));
      }
      int timeout = webhook.path("timeoutSeconds").asInt(TIMEOUT_SECONDS);
      if (timeout < 1 || timeout > LONGEST_TIMEOUT_SECONDS) {
        errors.add(
            FieldError.invalid(
                at + ".timeoutSeconds",
                timeout,
                "the timeout value must be between 1 and 30 seconds"));
      }
      JsonNode client = webhook.path("clientConfig");
      if (client.has("url") == client.has("service")) {
        errors.add(
            FieldError.required(at + ".clientConfig", "exactly one of url or service is required"));
      }
    }
    return errors;
  }
}

package io.berth.operator.admission;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Writes into the webhook configurations {@code berth} whom the API server shall trust, and for a
 * Berth outside the cluster where it is. It creates none and deletes none: they come and go with
 * the manifests.
 */
final class WebhookRegistration {

  static final String NAME = "berth";

  private final KubernetesClient client;
  private final Optional<URI> url;

  /**
   * @param url where the API server reaches the webhook, when not through its Service
   */
  WebhookRegistration(KubernetesClient client, Optional<URI> url) {
    this.client = client;
    this.url = url;
  }

  /**
   * Brings both configurations up to date.
   *
   * @param caBundle the authorities to trust, in PEM; empty leaves them to whoever else injects
   *     them
   * @return the kinds of which there is no configuration
   */
  List<String> update(String caBundle) {
    List<String> missing = new ArrayList<>();
    MutatingWebhookConfiguration mutating =
        client.resources(MutatingWebhookConfiguration.class).withName(NAME).get();
    if (mutating == null) {
      missing.add("MutatingWebhookConfiguration");
    } else {
      List<Hook> hooks =
          mutating.getWebhooks().stream()
              .map(w -> new Hook(w.getName(), w.getClientConfig()))
              .toList();
      patch(mutating, hooks, caBundle);
    }
    ValidatingWebhookConfiguration validating =
        client.resources(ValidatingWebhookConfiguration.class).withName(NAME).get();
    if (validating == null) {
      missing.add("ValidatingWebhookConfiguration");
    } else {
      List<Hook> hooks =
          validating.getWebhooks().stream()
              .map(w -> new Hook(w.getName(), w.getClientConfig()))
              .toList();
      patch(validating, hooks, caBundle);
    }
    return missing;
  }

  private record Hook(String name, WebhookClientConfig client) {}

  private <T extends HasMetadata> void patch(T configuration, List<Hook> hooks, String caBundle) {
    ArrayNode patch = JsonNodeFactory.instance.arrayNode();
    for (int i = 0; i < hooks.size(); i++) {
      Hook hook = hooks.get(i);
      ObjectNode wanted = wanted(hook.client(), caBundle);
      if (!same(hook.client(), wanted)) {
        patch
            .addObject()
            .put("op", "test")
            .put("path", "/webhooks/" + i + "/name")
            .put("value", hook.name());
        patch
            .addObject()
            .put("op", "replace")
            .put("path", "/webhooks/" + i + "/clientConfig")
            .set("value", wanted);
      }
    }
    if (!patch.isEmpty()) {
      client.resource(configuration).patch(PatchContext.of(PatchType.JSON), patch.toString());
    }
  }

  private ObjectNode wanted(WebhookClientConfig now, String caBundle) {
    ObjectNode wanted = JsonNodeFactory.instance.objectNode();
    if (url.isPresent()) {
      wanted.put("url", url.get().resolve(path(now)).toString());
    } else if (now.getService() != null) {
      ObjectNode service = wanted.putObject("service");
      service.put("name", now.getService().getName());
      service.put("namespace", now.getService().getNamespace());
      service.put("path", path(now));
      if (now.getService().getPort() != null) {
        service.put("port", now.getService().getPort());
      }
    } else {
      wanted.put("url", now.getUrl());
    }
    String bundle =
        caBundle.isEmpty()
            ? now.getCaBundle()
            : Base64.getEncoder().encodeToString(caBundle.getBytes(StandardCharsets.UTF_8));
    if (bundle != null) {
      wanted.put("caBundle", bundle);
    }
    return wanted;
  }

  private static boolean same(WebhookClientConfig now, ObjectNode wanted) {
    String bundle = now.getCaBundle() == null ? "" : now.getCaBundle();
    String where = now.getUrl() == null ? "" : now.getUrl();
    return bundle.equals(wanted.path("caBundle").asText(""))
        && where.equals(wanted.path("url").asText(""));
  }

  private static String path(WebhookClientConfig config) {
    if (config.getService() != null) {
      return Optional.ofNullable(config.getService().getPath()).orElse("/");
    }
    return Optional.ofNullable(config.getUrl()).map(text -> URI.create(text).getPath()).orElse("/");
  }
}

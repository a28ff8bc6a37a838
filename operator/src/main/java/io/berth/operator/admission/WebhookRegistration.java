package io.berth.operator.admission;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maintains the CA bundle in the webhook configurations {@code berth} and, if Berth runs outside
 * the cluster, the URL. If that is wanted, a configuration that is deleted while Berth runs is
 * restored as it was last seen, since without it pods are admitted unrendered.
 */
final class WebhookRegistration {

  static final String NAME = "berth";

  /**
   * The time for which a deleted configuration is not restored: an uninstallation deletes Berth's
   * permissions at the same time, and must not get the configuration back.
   */
  static final Duration LEFT_ALONE = Duration.ofMillis(700);

  private static final Logger LOG = LoggerFactory.getLogger(WebhookRegistration.class);

  private final KubernetesClient client;
  private final Optional<URI> url;
  private final boolean restores;
  private final BooleanSupplier mayMove;
  private final Kind<MutatingWebhookConfiguration> mutating =
      new Kind<>(
          MutatingWebhookConfiguration.class,
          configuration ->
              configuration.getWebhooks().stream()
                  .map(w -> new Hook(w.getName(), w.getClientConfig()))
                  .toList());
  private final Kind<ValidatingWebhookConfiguration> validating =
      new Kind<>(
          ValidatingWebhookConfiguration.class,
          configuration ->
              configuration.getWebhooks().stream()
                  .map(w -> new Hook(w.getName(), w.getClientConfig()))
                  .toList());

  private volatile boolean pointsHere;

  /** One of the two kinds of webhook configuration, with its last seen object. */
  private static final class Kind<T extends HasMetadata> {
    private final Class<T> type;
    private final Function<T, List<Hook>> hooks;
    private @Nullable T lastSeen;
    private long missingSince;

    Kind(Class<T> type, Function<T, List<Hook>> hooks) {
      this.type = type;
      this.hooks = hooks;
    }
  }

  /**
   * @param url the URL at which the API server reaches the webhook, if not through its Service
   * @param restores whether a configuration that somebody deletes is restored
   * @param mayMove returns whether this replica may write its URL, as only one of several may
   */
  WebhookRegistration(
      KubernetesClient client, Optional<URI> url, boolean restores, BooleanSupplier mayMove) {
    this.client = client;
    this.url = url;
    this.restores = restores;
    this.mayMove = mayMove;
  }

  /** Calls back whenever one of the configurations is created, changed, or deleted. */
  AutoCloseable watch(Runnable changed) {
    Watched one = new Watched(client.resources(mutating.type).withName(NAME), changed);
    Watched other = new Watched(client.resources(validating.type).withName(NAME), changed);
    return () -> {
      one.close();
      other.close();
    };
  }

  /**
   * Brings both configurations up to date.
   *
   * @param caBundle the CA certificates to trust, in PEM; if empty, the bundle is left to another
   *     program, such as cert-manager
   * @return the kinds whose configuration does not exist
   */
  synchronized List<String> update(String caBundle) {
    List<String> missing = new ArrayList<>();
    for (Kind<?> kind : List.of(mutating, validating)) {
      if (!update(kind, caBundle)) {
        missing.add(HasMetadata.getKind(kind.type));
      }
    }
    pointsHere = pointHere(mutating) && pointHere(validating);
    return missing;
  }

  private <T extends HasMetadata> boolean pointHere(Kind<T> kind) {
    T seen = kind.lastSeen;
    return url.isPresent()
        && seen != null
        && kind.hooks.apply(seen).stream()
            .map(Hook::client)
            .allMatch(now -> url.get().resolve(path(now)).toString().equals(now.getUrl()));
  }

  /**
   * Returns whether this replica's URL is yet to be written; until then the API server calls
   * another replica.
   */
  boolean hasToMove() {
    return url.isPresent() && mayMove.getAsBoolean() && !pointsHere;
  }

  /** Returns whether a configuration is missing that can be restored. */
  synchronized boolean canPutBack() {
    return (mutating.missingSince != 0 && mutating.lastSeen != null)
        || (validating.missingSince != 0 && validating.lastSeen != null);
  }

  /** Returns the CA certificates in the current configurations, in PEM. */
  String published() {
    StringBuilder all = new StringBuilder();
    for (Kind<?> kind : List.of(mutating, validating)) {
      hooks(kind).stream()
          .map(hook -> hook.client().getCaBundle())
          .filter(Objects::nonNull)
          .distinct()
          .forEach(
              bundle ->
                  all.append(
                      new String(Base64.getMimeDecoder().decode(bundle), StandardCharsets.UTF_8)));
    }
    return all.toString();
  }

  /**
   * Returns the webhooks of a configuration; none if there is no configuration, or if this replica
   * may not read it because it does not serve the webhook.
   */
  private <T extends HasMetadata> List<Hook> hooks(Kind<T> kind) {
    try {
      return Optional.ofNullable(client.resources(kind.type).withName(NAME).get())
          .map(kind.hooks)
          .orElse(List.of());
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_FORBIDDEN) {
        throw e;
      }
      LOG.info(
          "{} {} cannot be read, so no earlier certificate authority is taken over: {}",
          HasMetadata.getKind(kind.type),
          NAME,
          e.getMessage());
      return List.of();
    }
  }

  private <T extends HasMetadata> boolean update(Kind<T> kind, String caBundle) {
    T found = client.resources(kind.type).withName(NAME).get();
    if (found == null) {
      found = putBack(kind);
    }
    if (found == null) {
      return false;
    }
    kind.missingSince = 0;
    kind.lastSeen = found;
    kind.lastSeen = patched(found, kind.hooks.apply(found), caBundle);
    return true;
  }

  private <T extends HasMetadata> @Nullable T putBack(Kind<T> kind) {
    long now = System.nanoTime();
    if (!restores || kind.lastSeen == null) {
      return null;
    }
    if (kind.missingSince == 0) {
      kind.missingSince = now;
      return null;
    }
    if (now - kind.missingSince < LEFT_ALONE.toNanos()) {
      return null;
    }
    T copy = Serialization.clone(kind.lastSeen);
    copy.setMetadata(
        new ObjectMetaBuilder()
            .withName(NAME)
            .withLabels(copy.getMetadata().getLabels())
            .withAnnotations(copy.getMetadata().getAnnotations())
            .build());
    try {
      T created = client.resource(copy).create();
      LOG.warn(
          "{} {} was deleted and is restored; to remove it permanently, uninstall Berth first",
          HasMetadata.getKind(kind.type),
          NAME);
      return created;
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        return client.resources(kind.type).withName(NAME).get();
      }
      throw e;
    }
  }

  private record Hook(String name, WebhookClientConfig client) {}

  private <T extends HasMetadata> T patched(T configuration, List<Hook> hooks, String caBundle) {
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
    return patch.isEmpty()
        ? configuration
        : client.resource(configuration).patch(PatchContext.of(PatchType.JSON), patch.toString());
  }

  private ObjectNode wanted(WebhookClientConfig now, String caBundle) {
    ObjectNode wanted = JsonNodeFactory.instance.objectNode();
    if (url.isPresent() && mayMove.getAsBoolean()) {
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

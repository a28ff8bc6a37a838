package io.berth.operator.query;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.serving.http.RequestHead;
import io.berth.serving.tls.ClientAuthority;
import io.berth.serving.tls.ExchangeableAuthority;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The API servers as front proxies: the authority and names of their client certificates, and the
 * headers in which they name the user. Both are in the ConfigMap {@code
 * extension-apiserver-authentication}, which is followed as it changes. Thread-safe.
 */
final class FrontProxy implements AutoCloseable {
  static final String NAMESPACE = "kube-system";
  static final String CONFIG_MAP = "extension-apiserver-authentication";

  private static final Logger LOG = LoggerFactory.getLogger(FrontProxy.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ExchangeableAuthority authority = new ExchangeableAuthority();
  private volatile Headers headers = Headers.USUAL;
  private @Nullable SharedIndexInformer<ConfigMap> informer;

  /** The names of headers, and prefixes of names, in lower case. */
  private record Headers(
      List<String> user, List<String> uid, List<String> groups, List<String> extraPrefixes) {
    static final Headers USUAL =
        new Headers(
            List.of("x-remote-user"),
            List.of("x-remote-uid"),
            List.of("x-remote-group"),
            List.of("x-remote-extra-"));
  }

  /** Starts to follow the ConfigMap; does not wait for it. */
  void follow(KubernetesClient client) {
    informer =
        client
            .configMaps()
            .inNamespace(NAMESPACE)
            .withName(CONFIG_MAP)
            .inform(
                new ResourceEventHandler<>() {
                  @Override
                  public void onAdd(ConfigMap added) {
                    take(added);
                  }

                  @Override
                  public void onUpdate(ConfigMap before, ConfigMap after) {
                    take(after);
                  }

                  @Override
                  public void onDelete(ConfigMap gone, boolean unknown) {
                    LOG.warn(
                        "ConfigMap {}/{} is gone; the API servers that it named stay trusted",
                        NAMESPACE,
                        CONFIG_MAP);
                  }
                });
  }

  /** Takes over the content of the ConfigMap; if it is invalid, what was read before stays. */
  void take(ConfigMap map) {
    Map<String, String> data = Objects.requireNonNullElse(map.getData(), Map.of());
    try {
      authority.exchange(
          data.getOrDefault("requestheader-client-ca-file", ""),
          Set.copyOf(list(data, "requestheader-allowed-names", List.of())),
          "requestheader-client-ca-file of ConfigMap " + NAMESPACE + "/" + CONFIG_MAP);
      headers =
          new Headers(
              lower(list(data, "requestheader-username-headers", Headers.USUAL.user())),
              lower(list(data, "requestheader-uid-headers", Headers.USUAL.uid())),
              lower(list(data, "requestheader-group-headers", Headers.USUAL.groups())),
              lower(
                  list(data, "requestheader-extra-headers-prefix", Headers.USUAL.extraPrefixes())));
    } catch (IOException e) {
      LOG.error(
          "The query API answers only the API servers that were known before: {}. Start the API"
              + " servers with --requestheader-client-ca-file",
          e.getMessage());
    }
  }

  private static List<String> list(Map<String, String> data, String key, List<String> otherwise)
      throws IOException {
    String text = data.get(key);
    if (text == null || text.isBlank()) {
      return otherwise;
    }
    try {
      return List.of(JSON.readValue(text, String[].class));
    } catch (JsonProcessingException e) {
      throw new IOException(key + " is not a JSON list of strings: " + e.getOriginalMessage(), e);
    }
  }

  private static List<String> lower(List<String> names) {
    return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
  }

  /** The authority of the API servers' client certificates. */
  ClientAuthority authority() {
    return authority;
  }

  /** Returns the user that the headers name; empty if they name none. */
  Optional<ApiUser> user(RequestHead head) {
    Headers known = headers;
    Optional<String> name = first(head, known.user());
    if (name.isEmpty()) {
      return Optional.empty();
    }
    List<String> groups =
        known.groups().stream()
            .flatMap(header -> head.headers().getOrDefault(header, List.of()).stream())
            .toList();
    Map<String, List<String>> extra = new HashMap<>();
    head.headers()
        .forEach(
            (header, values) ->
                known.extraPrefixes().stream()
                    .filter(header::startsWith)
                    .findFirst()
                    .ifPresent(
                        prefix -> extra.put(decoded(header.substring(prefix.length())), values)));
    return Optional.of(new ApiUser(name.get(), first(head, known.uid()).orElse(""), groups, extra));
  }

  /** Returns the headers that name the user. */
  Map<String, List<String>> userHeaders(RequestHead head) {
    Headers known = headers;
    Map<String, List<String>> named = new HashMap<>();
    head.headers()
        .forEach(
            (header, values) -> {
              if (known.user().contains(header)
                  || known.uid().contains(header)
                  || known.groups().contains(header)
                  || known.extraPrefixes().stream().anyMatch(header::startsWith)) {
                named.put(header, values);
              }
            });
    return named;
  }

  private static Optional<String> first(RequestHead head, List<String> names) {
    return names.stream().flatMap(name -> head.header(name).stream()).findFirst();
  }

  /** Returns a key without its percent-encoding; an invalid one is kept as it is. */
  private static String decoded(String key) {
    try {
      return URLDecoder.decode(key.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      LOG.debug("{} is not percent-encoded", key, e);
      return key;
    }
  }

  @Override
  public void close() {
    SharedIndexInformer<ConfigMap> followed = informer;
    if (followed != null) {
      followed.close();
    }
  }
}

package io.berth.operator.command;

import io.fabric8.kubernetes.client.Config;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The proxy settings of the environment (HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in upper or lower
 * case), as kubectl reads them. The client library applies them only without a kubeconfig.
 *
 * @param https the proxy for https URLs; empty if there is none
 * @param http the proxy for http URLs; empty if there is none
 * @param exceptions hosts, domain suffixes, addresses and CIDR ranges that are reached directly
 */
record ProxyEnvironment(Optional<String> https, Optional<String> http, List<String> exceptions) {

  static ProxyEnvironment of(Map<String, String> environment) {
    List<String> exceptions =
        Stream.of(value(environment, "NO_PROXY").orElse("").split(","))
            .map(String::strip)
            .filter(entry -> !entry.isEmpty())
            .toList();
    boolean none = exceptions.contains("*");
    return new ProxyEnvironment(
        value(environment, "HTTPS_PROXY").filter(proxy -> !none),
        value(environment, "HTTP_PROXY").filter(proxy -> !none),
        exceptions.stream().map(ProxyEnvironment::withoutStar).toList());
  }

  /** Adds this proxy to a configuration that has none, and returns it. */
  Config applyTo(Config config) {
    if (config.getHttpsProxy() != null || config.getHttpProxy() != null) {
      return config;
    }
    https.ifPresent(config::setHttpsProxy);
    http.ifPresent(config::setHttpProxy);
    if (https.isPresent() || http.isPresent()) {
      config.setNoProxy(exceptions.toArray(String[]::new));
    }
    return config;
  }

  private static Optional<String> value(Map<String, String> environment, String name) {
    return Optional.ofNullable(environment.get(name))
        .filter(value -> !value.isBlank())
        .or(() -> Optional.ofNullable(environment.get(name.toLowerCase(Locale.ROOT))))
        .filter(value -> !value.isBlank());
  }

  private static String withoutStar(String entry) {
    return entry.startsWith("*.") ? entry.substring(1) : entry;
  }
}

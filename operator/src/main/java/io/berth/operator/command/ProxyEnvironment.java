package io.berth.operator.command;

import io.fabric8.kubernetes.client.Config;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The proxy that the environment names (HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in capitals or not),
 * as kubectl reads it. The client library reads it only where there is no kubeconfig.
 *
 * @param https the proxy for https URLs; empty where there is none
 * @param http the proxy for http URLs; empty where there is none
 * @param exceptions hosts, suffixes of hosts, addresses and CIDR ranges that are reached directly
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

  /** The configuration with this proxy, unless it has one itself. */
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

package io.berth.webhook.tls;

import java.time.Duration;
import java.util.List;

/**
 * The rules for renewing certificates.
 *
 * @param names the DNS names, or IP addresses, that clients reach the webhook by
 * @param authorityLife how long an authority is valid
 * @param serverLife how long a server certificate is valid
 * @param overlap how long a new authority is published in {@code caBundle} before the first
 *     certificate that it signed is served
 */
public record RenewalRules(
    List<String> names, Duration authorityLife, Duration serverLife, Duration overlap) {

  public RenewalRules {
    names = List.copyOf(names);
    if (names.isEmpty()) {
      throw new IllegalArgumentException(
          "give at least one name that clients reach the webhook by");
    }
    if (overlap.compareTo(authorityLife.dividedBy(3)) >= 0) {
      throw new IllegalArgumentException(
          "overlap must be shorter than a third of authorityLife: renewal begins at two thirds");
    }
  }

  /** A year for the authority, 90 days for the server certificate, an hour of overlap. */
  public static RenewalRules usual(List<String> names) {
    return new RenewalRules(names, Duration.ofDays(365), Duration.ofDays(90), Duration.ofHours(1));
  }

  /** The names of a Service, with and without the cluster's domain. */
  public static List<String> serviceNames(String service, String namespace) {
    return List.of(
        service,
        service + "." + namespace,
        service + "." + namespace + ".svc",
        service + "." + namespace + ".svc.cluster.local");
  }
}

package io.berth.serving.tls;

import java.time.Duration;
import java.util.List;

/**
 * The rules for renewing certificates.
 *
 * @param names the DNS names or IP addresses under which clients connect to the webhook
 * @param authorityLife the lifetime of an authority
 * @param serverLife the lifetime of a server certificate
 * @param overlap the time for which a new authority is published in {@code caBundle} before the
 *     first certificate that it signed is served; shorter than a third of the authority's lifetime
 */
public record RenewalRules(
    List<String> names, Duration authorityLife, Duration serverLife, Duration overlap) {

  public RenewalRules {
    names = List.copyOf(names);
    if (names.isEmpty()) {
      throw new IllegalArgumentException(
          "names is empty: set at least one DNS name or IP address of the webhook");
    }
    if (overlap.compareTo(authorityLife.dividedBy(3)) >= 0) {
      throw new IllegalArgumentException(
          "overlap must be shorter than a third of authorityLife, because renewal begins after two"
              + " thirds");
    }
  }

  /**
   * Returns the default rules: 365 days for the authority, 90 days for the server certificate, and
   * an overlap of one hour.
   */
  public static RenewalRules usual(List<String> names) {
    return new RenewalRules(names, Duration.ofDays(365), Duration.ofDays(90), Duration.ofHours(1));
  }

  /** Returns the DNS names of a Service, with and without the cluster domain. */
  public static List<String> serviceNames(String service, String namespace) {
    return List.of(
        service,
        service + "." + namespace,
        service + "." + namespace + ".svc",
        service + "." + namespace + ".svc.cluster.local");
  }
}

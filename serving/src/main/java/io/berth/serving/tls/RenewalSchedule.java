package io.berth.serving.tls;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The times at which certificates are renewed.
 *
 * @param server the server certificate
 * @param authority the authority that signs
 * @param next the authority that will sign next
 * @param others authorities that no longer sign
 * @param inherits whether authorities of a lost Secret are still published
 */
record RenewalSchedule(
    X509Certificate server,
    X509Certificate authority,
    Optional<X509Certificate> next,
    List<X509Certificate> others,
    boolean inherits,
    RenewalRules rules) {

  /** Returns the plan for the given moment. */
  RenewalPlan plan(Instant now) {
    if (!now.isBefore(authority.getNotAfter().toInstant())) {
      return next.filter(each -> now.isBefore(each.getNotAfter().toInstant())).isPresent()
          ? new RenewalPlan.PromoteAuthority("the signing authority has expired")
          : new RenewalPlan.Begin("the signing authority has expired");
    }
    if (next.isPresent()) {
      Instant trusted = trustedFrom(next.get(), rules);
      if (!now.isBefore(trusted)) {
        return new RenewalPlan.PromoteAuthority(
            "the next authority has been published for " + rules.overlap());
      }
    } else if (!now.isBefore(twoThirds(authority))) {
      return new RenewalPlan.IntroduceAuthority(
          "two thirds of the signing authority's lifetime have passed");
    }
    if (!names(server).containsAll(rules.names())) {
      return new RenewalPlan.RenewServer("it does not contain all names of the webhook");
    }
    if (!now.isBefore(twoThirds(server))) {
      return new RenewalPlan.RenewServer("two thirds of its lifetime have passed");
    }
    if (others.stream().anyMatch(each -> !now.isBefore(each.getNotAfter().toInstant()))) {
      return new RenewalPlan.ForgetEnded("an authority that no longer signs has expired");
    }
    if (inherits && !now.isBefore(trustedFrom(authority, rules))) {
      return new RenewalPlan.ForgetEnded(
          "all replicas have loaded the certificate that was created after the Secret was lost");
    }
    return new RenewalPlan.Wait(nextChange());
  }

  private Instant nextChange() {
    Instant first = twoThirds(server);
    if (next.isPresent()) {
      first = earlier(first, trustedFrom(next.get(), rules));
    } else {
      first = earlier(first, twoThirds(authority));
    }
    if (inherits) {
      first = earlier(first, trustedFrom(authority, rules));
    }
    for (X509Certificate other : others) {
      first = earlier(first, other.getNotAfter().toInstant());
    }
    return first;
  }

  /** Returns the time from which all clients trust an authority. */
  static Instant trustedFrom(X509Certificate next, RenewalRules rules) {
    return next.getNotBefore()
        .toInstant()
        .plus(CertificateAuthority.BACKDATED)
        .plus(rules.overlap());
  }

  private static Instant twoThirds(X509Certificate certificate) {
    Instant start = certificate.getNotBefore().toInstant();
    Duration life = Duration.between(start, certificate.getNotAfter().toInstant());
    return start.plus(life.multipliedBy(2).dividedBy(3));
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  private static Set<String> names(X509Certificate certificate) {
    Set<String> names = new HashSet<>();
    try {
      if (certificate.getSubjectAlternativeNames() != null) {
        certificate
            .getSubjectAlternativeNames()
            .forEach(name -> names.add(String.valueOf(name.get(1))));
      }
    } catch (CertificateParsingException e) {
      return Set.of();
    }
    return names;
  }
}

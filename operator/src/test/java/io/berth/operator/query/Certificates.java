package io.berth.operator.query;

import io.berth.serving.tls.CertificateAuthority;
import io.berth.serving.tls.CertificateState;
import io.berth.serving.tls.RenewalRules;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;

/** Certificates of authorities that exist only for a test. */
final class Certificates {
  private Certificates() {}

  /** Returns a certificate of a new authority for a DNS name. */
  static CertificateState of(String name) {
    return CertificateState.begin(
        new CertificateAuthority(new SecureRandom()),
        RenewalRules.usual(List.of(name)),
        Instant.now());
  }
}

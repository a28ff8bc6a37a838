package io.berth.serving.tls;

import java.io.IOException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An authority that can be exchanged. It accepts no client until it is given its certificates. */
public final class ExchangeableAuthority implements ClientAuthority {
  private volatile @Nullable TrustedIssuers current;

  /**
   * Exchanges the authority; a failure leaves the one before in place.
   *
   * @param pem certificates of authorities
   * @param names the accepted common names; empty to accept every certificate of the authority
   * @param place where they are from, for messages
   * @throws IOException if there is no certificate, or an invalid one
   */
  public void exchange(String pem, Set<String> names, String place) throws IOException {
    current = TrustedIssuers.read(pem, names, place);
  }

  @Override
  public void check(X509Certificate[] chain, String authType) throws CertificateException {
    TrustedIssuers trusted = current;
    if (trusted == null) {
      throw new CertificateException("the authority of clients is not known yet; try again");
    }
    trusted.check(chain, authType);
  }

  @Override
  public List<X509Certificate> issuers() {
    TrustedIssuers trusted = current;
    return trusted == null ? List.of() : trusted.issuers();
  }
}

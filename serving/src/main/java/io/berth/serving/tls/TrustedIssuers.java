package io.berth.serving.tls;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authorities of client certificates, and the common names that are accepted.
 *
 * @param names the accepted names; empty to accept every certificate of the authorities
 */
record TrustedIssuers(X509TrustManager trust, Set<String> names) {
  private static final Logger LOG = LoggerFactory.getLogger(TrustedIssuers.class);

  TrustedIssuers {
    names = Set.copyOf(names);
  }

  /**
   * Reads authorities.
   *
   * @param place where they are from, for messages
   * @throws IOException if there is no certificate, or an invalid one
   */
  static TrustedIssuers read(String pem, Set<String> names, String place) throws IOException {
    try {
      List<X509Certificate> authorities = Pem.certificates(pem);
      if (authorities.isEmpty()) {
        throw new IOException(
            place + " contains no certificate; give the authority's certificate in PEM");
      }
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      for (X509Certificate authority : authorities) {
        store.setCertificateEntry(String.valueOf(store.size()), authority);
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      return new TrustedIssuers(trustManager(factory), names);
    } catch (GeneralSecurityException e) {
      throw new IOException(place + " contains no valid certificate: " + e.getMessage(), e);
    }
  }

  private static X509TrustManager trustManager(TrustManagerFactory factory) {
    for (TrustManager each : factory.getTrustManagers()) {
      if (each instanceof X509TrustManager found) {
        return found;
      }
    }
    throw new IllegalStateException("every Java runtime verifies X.509 certificates");
  }

  void check(X509Certificate[] chain, String authType) throws CertificateException {
    trust.checkClientTrusted(chain, authType);
    if (!names.isEmpty() && names.stream().noneMatch(name -> isCalled(chain[0], name))) {
      throw new CertificateException(
          "%s is not one of the accepted names %s"
              .formatted(chain[0].getSubjectX500Principal(), names));
    }
  }

  List<X509Certificate> issuers() {
    return Arrays.asList(trust.getAcceptedIssuers());
  }

  private static boolean isCalled(X509Certificate certificate, String name) {
    try {
      for (Rdn part : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
        if (part.getType().equalsIgnoreCase("CN") && name.equals(part.getValue())) {
          return true;
        }
      }
      return false;
    } catch (InvalidNameException e) {
      LOG.debug("{} has no readable name", certificate.getSubjectX500Principal(), e);
      return false;
    }
  }
}

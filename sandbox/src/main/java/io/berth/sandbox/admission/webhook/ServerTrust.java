package io.berth.sandbox.admission.webhook;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** TLS contexts for the servers that the API server calls, which are known by a name. */
final class ServerTrust {
  private ServerTrust() {}

  /**
   * Returns a context that trusts one server.
   *
   * @param caBundle the certificates of its authorities, as base64 of PEM; empty for those of the
   *     JDK
   * @param serverName a name that its certificate must contain
   * @param keys the certificate of this client; null if it has none
   */
  static SSLContext context(String caBundle, String serverName, KeyManager @Nullable [] keys)
      throws GeneralSecurityException, IOException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(
        keys, new TrustManager[] {new NamedServerTrust(trust(caBundle), serverName)}, null);
    return context;
  }

  private static X509TrustManager trust(String caBundle)
      throws GeneralSecurityException, IOException {
    KeyStore store = null;
    if (!caBundle.isEmpty()) {
      store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      byte[] pem = Base64.getMimeDecoder().decode(caBundle);
      int i = 0;
      for (Certificate certificate :
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(pem))) {
        store.setCertificateEntry("ca" + i++, certificate);
      }
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    for (TrustManager manager : factory.getTrustManagers()) {
      if (manager instanceof X509TrustManager x509) {
        return x509;
      }
    }
    throw new GeneralSecurityException("no X.509 trust manager");
  }
}

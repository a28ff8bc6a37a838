package io.berth.sandbox.admission.webhook;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * A trust manager that verifies certificates against one server name. A webhook's certificate names
 * its Service, not the address that this process connects to, so the name is checked here instead
 * of against the host of the connection.
 */
final class NamedServerTrust extends X509ExtendedTrustManager {
  private static final int DNS_NAME = 2;
  private static final int IP_ADDRESS = 7;

  private final X509TrustManager chain;
  private final String serverName;

  NamedServerTrust(X509TrustManager chain, String serverName) {
    this.chain = chain;
    this.serverName = serverName.toLowerCase(Locale.ROOT);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] certificates, String authType)
      throws CertificateException {
    chain.checkServerTrusted(certificates, authType);
    checkName(certificates[0]);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] certificates, String authType, Socket socket)
      throws CertificateException {
    checkServerTrusted(certificates, authType);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] certificates, String authType, SSLEngine engine)
      throws CertificateException {
    checkServerTrusted(certificates, authType);
  }

  private void checkName(X509Certificate leaf) throws CertificateException {
    Collection<List<?>> names = leaf.getSubjectAlternativeNames();
    if (names != null) {
      for (List<?> name : names) {
        int kind = (Integer) name.get(0);
        if ((kind == DNS_NAME || kind == IP_ADDRESS)
            && matches(String.valueOf(name.get(1)).toLowerCase(Locale.ROOT))) {
          return;
        }
      }
    }
    throw new CertificateException(
        "tls: failed to verify certificate: x509: certificate is not valid for " + serverName);
  }

  private boolean matches(String name) {
    if (name.startsWith("*.")) {
      int dot = serverName.indexOf('.');
      return dot > 0 && serverName.substring(dot + 1).equals(name.substring(2));
    }
    return name.equals(serverName);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] certificates, String authType)
      throws CertificateException {
    throw new CertificateException("this side is a client");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] certificates, String authType, Socket socket)
      throws CertificateException {
    throw new CertificateException("this side is a client");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] certificates, String authType, SSLEngine engine)
      throws CertificateException {
    throw new CertificateException("this side is a client");
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return chain.getAcceptedIssuers();
  }
}

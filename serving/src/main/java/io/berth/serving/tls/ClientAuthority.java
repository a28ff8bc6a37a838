package io.berth.serving.tls;

import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;

/** The authority of client certificates. Implementations are thread-safe. */
public interface ClientAuthority {

  /**
   * Reads the authority from a file, which is read again when it has changed.
   *
   * @param file certificates of authorities, in PEM
   * @param names the accepted common names; empty to accept every certificate of the authority
   * @throws IOException if the file cannot be read or has no certificate
   */
  static ClientAuthority read(Path file, Set<String> names) throws IOException {
    return ClientAuthorityFile.read(file, Set.copyOf(names));
  }

  /**
   * Verifies a client's certificate.
   *
   * @throws CertificateException if the authority did not sign it, or its name is not accepted
   */
  void check(X509Certificate[] chain, String authType) throws CertificateException;

  /** Returns the certificates of the authority. */
  List<X509Certificate> issuers();
}

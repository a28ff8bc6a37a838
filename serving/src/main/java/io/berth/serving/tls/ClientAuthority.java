package io.berth.serving.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
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
 * The authority that signs the certificates with which API servers call the webhook, and the names
 * that it accepts. The file is read again when it has changed. Thread-safe.
 */
public final class ClientAuthority {
  private static final Logger LOG = LoggerFactory.getLogger(ClientAuthority.class);
  private static final long MAX_BYTES = 1 << 20;

  private final Path file;
  private final Set<String> names;
  private volatile Loaded loaded;

  private record Loaded(FileTime modified, X509TrustManager trust) {}

  private ClientAuthority(Path file, Set<String> names, Loaded loaded) {
    this.file = file;
    this.names = names;
    this.loaded = loaded;
  }

  /**
   * Reads the authority.
   *
   * @param file certificates of authorities, in PEM
   * @param names the accepted common names; empty to accept every certificate of the authority
   * @throws IOException if the file cannot be read or has no certificate
   */
  public static ClientAuthority read(Path file, Set<String> names) throws IOException {
    return new ClientAuthority(file, Set.copyOf(names), load(file));
  }

  private static Loaded load(Path file) throws IOException {
    FileTime modified = Files.getLastModifiedTime(file);
    if (Files.size(file) > MAX_BYTES) {
      throw new IOException(file + " is larger than 1 MiB; give a file with certificates in PEM");
    }
    try {
      List<X509Certificate> authorities =
          Pem.certificates(Files.readString(file, StandardCharsets.US_ASCII));
      if (authorities.isEmpty()) {
        throw new IOException(
            file + " contains no certificate; give the authority's certificate in PEM");
      }
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      for (X509Certificate authority : authorities) {
        store.setCertificateEntry(String.valueOf(store.size()), authority);
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      return new Loaded(modified, trustManager(factory));
    } catch (GeneralSecurityException e) {
      throw new IOException(file + " contains no valid certificate: " + e.getMessage(), e);
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

  /** Reads the file again if it has changed; keeps what was read before if that fails. */
  private Loaded current() {
    Loaded before = loaded;
    try {
      if (!Files.getLastModifiedTime(file).equals(before.modified())) {
        loaded = load(file);
      }
    } catch (IOException e) {
      LOG.warn("The changed client CA is not used, and the one before still is: {}", e.toString());
    }
    return loaded;
  }

  void check(X509Certificate[] chain, String authType) throws CertificateException {
    current().trust().checkClientTrusted(chain, authType);
    if (!names.isEmpty() && names.stream().noneMatch(name -> isCalled(chain[0], name))) {
      throw new CertificateException(
          "%s is not one of the accepted names %s"
              .formatted(chain[0].getSubjectX500Principal(), names));
    }
  }

  List<X509Certificate> issuers() {
    return Arrays.asList(current().trust().getAcceptedIssuers());
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

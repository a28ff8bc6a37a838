package io.berth.serving.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An authority in a file, which is read again when it has changed. */
final class ClientAuthorityFile implements ClientAuthority {
  private static final Logger LOG = LoggerFactory.getLogger(ClientAuthorityFile.class);
  private static final long MAX_BYTES = 1 << 20;

  private final Path file;
  private final Set<String> names;
  private volatile Loaded loaded;

  private record Loaded(FileTime modified, TrustedIssuers issuers) {}

  private ClientAuthorityFile(Path file, Set<String> names, Loaded loaded) {
    this.file = file;
    this.names = names;
    this.loaded = loaded;
  }

  static ClientAuthorityFile read(Path file, Set<String> names) throws IOException {
    return new ClientAuthorityFile(file, names, load(file, names));
  }

  private static Loaded load(Path file, Set<String> names) throws IOException {
    FileTime modified = Files.getLastModifiedTime(file);
    if (Files.size(file) > MAX_BYTES) {
      throw new IOException(file + " is larger than 1 MiB; give a file with certificates in PEM");
    }
    return new Loaded(
        modified,
        TrustedIssuers.read(
            Files.readString(file, StandardCharsets.US_ASCII), names, file.toString()));
  }

  /** Reads the file again if it has changed; keeps what was read before if that fails. */
  private TrustedIssuers current() {
    Loaded before = loaded;
    try {
      if (!Files.getLastModifiedTime(file).equals(before.modified())) {
        loaded = load(file, names);
      }
    } catch (IOException e) {
      LOG.warn("The changed client CA is not used, and the one before still is: {}", e.toString());
    }
    return loaded.issuers();
  }

  @Override
  public void check(X509Certificate[] chain, String authType) throws CertificateException {
    current().check(chain, authType);
  }

  @Override
  public List<X509Certificate> issuers() {
    return current().issuers();
  }
}

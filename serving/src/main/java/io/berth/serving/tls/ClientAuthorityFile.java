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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An authority in a file, which is read again when it has changed. */
final class ClientAuthorityFile implements ClientAuthority {
  private static final Logger LOG = LoggerFactory.getLogger(ClientAuthorityFile.class);
  private static final long MAX_BYTES = 1 << 20;

  /** Stands for the time of a file whose time cannot be read. */
  private static final FileTime NO_TIME = FileTime.fromMillis(Long.MIN_VALUE);

  private final Path file;
  private final Set<String> names;
  private final Consumer<String> warnings;
  private volatile Loaded loaded;

  /** The time of the change that could not be read; reported once. */
  private volatile @Nullable FileTime unusable;

  private record Loaded(FileTime modified, TrustedIssuers issuers) {}

  private ClientAuthorityFile(
      Path file, Set<String> names, Consumer<String> warnings, Loaded loaded) {
    this.file = file;
    this.names = names;
    this.warnings = warnings;
    this.loaded = loaded;
  }

  static ClientAuthorityFile read(Path file, Set<String> names) throws IOException {
    return read(file, names, LOG::warn);
  }

  /**
   * Reads an authority.
   *
   * @param warnings receives a message when the file has changed and cannot be used
   */
  static ClientAuthorityFile read(Path file, Set<String> names, Consumer<String> warnings)
      throws IOException {
    return new ClientAuthorityFile(file, names, warnings, load(file, names));
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

  /**
   * Reads the file again if it has changed; keeps what was read before if that fails, until the
   * next change.
   */
  private TrustedIssuers current() {
    FileTime modified;
    try {
      modified = Files.getLastModifiedTime(file);
    } catch (IOException e) {
      return keep(NO_TIME, e);
    }
    if (!modified.equals(loaded.modified()) && !modified.equals(unusable)) {
      try {
        loaded = load(file, names);
        unusable = null;
      } catch (IOException e) {
        return keep(modified, e);
      }
    }
    return loaded.issuers();
  }

  /** Each handshake asks, and clients cause handshakes, so a change is reported once. */
  private TrustedIssuers keep(FileTime modified, IOException failure) {
    if (!modified.equals(unusable)) {
      unusable = modified;
      warnings.accept(
          "The changed client CA is not used, and the one before still is; correct %s: %s"
              .formatted(file, failure));
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

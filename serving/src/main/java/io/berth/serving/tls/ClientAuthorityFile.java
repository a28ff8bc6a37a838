package io.berth.serving.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An authority in a file, which is read again when it has changed. */
final class ClientAuthorityFile implements ClientAuthority {
  private static final Logger LOG = LoggerFactory.getLogger(ClientAuthorityFile.class);
  private static final long MAX_BYTES = 1 << 20;

  /** The pause after which a file that could not be read is read again. */
  private static final long AGAIN_NANOS = Duration.ofSeconds(1).toNanos();

  private final Path file;
  private final Set<String> names;
  private final LongSupplier nanoTime;
  private final Consumer<String> warnings;
  private volatile Loaded loaded;

  /** The reason why the file could not be read the last time, with the time; null if it could. */
  private volatile @Nullable Unusable unusable;

  /**
   * A change that could not be read.
   *
   * @param modified the time of the change; null if it is unknown
   * @param nanos the time of the attempt to read it
   */
  private record Unusable(@Nullable FileTime modified, long nanos, String reason) {
    /** Each handshake asks, and clients cause handshakes, so the same change is read seldom. */
    boolean isToBeReadAgain(FileTime now, long nanosNow) {
      return !now.equals(modified) || nanosNow - nanos >= AGAIN_NANOS;
    }
  }

  private record Loaded(FileTime modified, TrustedIssuers issuers) {}

  private ClientAuthorityFile(
      Path file,
      Set<String> names,
      LongSupplier nanoTime,
      Consumer<String> warnings,
      Loaded loaded) {
    this.file = file;
    this.names = names;
    this.nanoTime = nanoTime;
    this.warnings = warnings;
    this.loaded = loaded;
  }

  static ClientAuthorityFile read(Path file, Set<String> names) throws IOException {
    return read(file, names, System::nanoTime, LOG::warn);
  }

  /**
   * Reads an authority.
   *
   * @param nanoTime a clock such as {@link System#nanoTime}
   * @param warnings receives a message when the file has changed and cannot be used
   */
  static ClientAuthorityFile read(
      Path file, Set<String> names, LongSupplier nanoTime, Consumer<String> warnings)
      throws IOException {
    return new ClientAuthorityFile(file, names, nanoTime, warnings, load(file, names));
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
    Unusable failed = unusable;
    FileTime modified = null;
    try {
      modified = Files.getLastModifiedTime(file);
      if (modified.equals(loaded.modified())) {
        unusable = null;
      } else if (failed == null || failed.isToBeReadAgain(modified, nanoTime.getAsLong())) {
        loaded = load(file, names);
        unusable = null;
      }
    } catch (IOException e) {
      unusable = new Unusable(modified, nanoTime.getAsLong(), e.toString());
      if (failed == null || !failed.reason().equals(e.toString())) {
        warnings.accept(
            "The changed client CA is not used, and the one before still is; correct %s: %s"
                .formatted(file, e));
      }
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

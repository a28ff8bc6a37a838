package io.berth.operator.api;

import io.berth.operator.api.ServiceCalls.Trust;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The folder with the certificates and keys of services, where each Secret is mounted in a folder
 * of its name. Who names a file in a policy can have Berth read files of this folder, and no
 * others.
 *
 * @param folder the folder
 */
public record ServiceFiles(Path folder) {
  private static final int LARGEST = 256 << 10;
  private static final String REMEDY =
      ": mount the Secret there, with extenderSecrets of the chart";

  public ServiceFiles {
    folder = folder.toAbsolutePath().normalize();
  }

  /**
   * Returns the settings with the current content of the files and of the Secret in their place.
   *
   * @throws IOException when a file cannot be read, or may not be; the message says what to do
   */
  Trust read(Trust trust) throws IOException {
    String secret = trust.secretName();
    return secret == null || secret.isEmpty() ? ofFiles(trust) : ofSecret(trust, secret);
  }

  private Trust ofFiles(Trust trust) throws IOException {
    return data(
        trust,
        given(trust.caData(), trust.caFile()),
        given(trust.certData(), trust.certFile()),
        given(trust.keyData(), trust.keyFile()));
  }

  private Trust ofSecret(Trust trust, String name) throws IOException {
    Path secret = folder.resolve(name);
    if (!secret.normalize().startsWith(folder) || !Files.isDirectory(secret)) {
      throw new IOException("Secret \"" + name + "\" is not mounted at " + secret + REMEDY);
    }
    String authority = optional(secret.resolve("ca.crt"));
    String certificate = optional(secret.resolve("tls.crt"));
    String key = optional(secret.resolve("tls.key"));
    if (authority == null && certificate == null) {
      throw new IOException(
          "Secret \"" + name + "\" has neither ca.crt nor tls.crt: add one, or remove secretName");
    }
    if ((certificate == null) != (key == null)) {
      throw new IOException(
          "Secret \"" + name + "\" has only one of tls.crt and tls.key: add the other");
    }
    return data(trust, authority, certificate, key);
  }

  private static Trust data(
      Trust trust, @Nullable String ca, @Nullable String certificate, @Nullable String key) {
    return new Trust(
        trust.insecure(), trust.serverName(), null, ca, null, certificate, null, key, null);
  }

  private @Nullable String given(@Nullable String data, @Nullable String file) throws IOException {
    if (data != null && !data.isEmpty()) {
      return data;
    }
    return file == null || file.isEmpty() ? null : content(Path.of(file));
  }

  private @Nullable String optional(Path file) throws IOException {
    return Files.exists(file) ? content(file) : null;
  }

  /** Returns the content of a file in base64; symbolic links must not lead out of the folder. */
  private String content(Path file) throws IOException {
    if (!file.normalize().startsWith(folder)) {
      throw new IOException(
          "the file " + file + " is not in " + folder + ", the only folder that is read" + REMEDY);
    }
    Path real = real(file);
    if (!real.startsWith(folder.toRealPath())) {
      throw new IOException("the file " + file + " is a link that leads out of " + folder);
    }
    if (!Files.isRegularFile(real, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(file + " is not a regular file");
    }
    try (InputStream in = Files.newInputStream(real)) {
      byte[] bytes = in.readNBytes(LARGEST + 1);
      if (bytes.length > LARGEST) {
        throw new IOException("the file " + file + " has more than " + LARGEST + " bytes");
      }
      return Base64.getEncoder().encodeToString(bytes);
    }
  }

  private static Path real(Path file) throws IOException {
    try {
      return file.toRealPath();
    } catch (NoSuchFileException e) {
      throw new IOException("the file " + file + " does not exist" + REMEDY, e);
    }
  }
}

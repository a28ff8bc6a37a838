package io.berth.operator.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.operator.api.ServiceCalls.Trust;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files that a policy can have Berth read: those of mounted Secrets, and no others. */
class ServiceFilesTest {
  @TempDir private Path container;
  private Path folder;
  private ServiceFiles files;

  @BeforeEach
  void mount() throws IOException {
    folder = Files.createDirectory(container.resolve("extenders"));
    files = new ServiceFiles(folder);
  }

  private static Trust authority(Path file) {
    return new Trust(false, "", file.toString(), null, null, null, null, null, null);
  }

  private static Trust secret(String name) {
    return new Trust(false, "", null, null, null, null, null, null, name);
  }

  private static String encoded(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private void assertRefused(Trust trust, String words) {
    assertThatThrownBy(() -> files.read(trust))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(words);
  }

  @Test
  void aMountedFile_isRead_alsoThroughTheLinksThatTheKubeletMakes() throws IOException {
    Path secret = Files.createDirectory(folder.resolve("gpu-share"));
    Path version = Files.createDirectory(secret.resolve("..2026_01_01"));
    Files.writeString(version.resolve("ca.crt"), "the authority");
    Files.createSymbolicLink(secret.resolve("..data"), Path.of("..2026_01_01"));
    Path file = Files.createSymbolicLink(secret.resolve("ca.crt"), Path.of("..data/ca.crt"));

    assertThat(files.read(authority(file)).caData()).isEqualTo(encoded("the authority"));
    assertThat(files.read(secret("gpu-share")).caData()).isEqualTo(encoded("the authority"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/dev/zero", "/etc/hostname", "/proc/self/environ"})
  void aFileElsewhere_isNotRead(String file) {
    assertRefused(authority(Path.of(file)), "is not in " + folder);
  }

  @Test
  void aPathThatLeadsOut_isNotRead() throws IOException {
    Path outside = Files.writeString(container.resolve("token"), "secret");
    Path link = Files.createSymbolicLink(folder.resolve("ca.crt"), outside);

    assertRefused(authority(folder.resolve("../token")), "is not in " + folder);
    assertRefused(authority(link), "is a link that leads out of");
  }

  @Test
  void whatIsNotARegularFileOfOrdinarySize_isNotRead() throws IOException {
    Path large = Files.write(folder.resolve("large"), new byte[(256 << 10) + 1]);

    assertRefused(authority(large), "has more than 262144 bytes");
    assertRefused(authority(folder), "is not a regular file");
    assertRefused(authority(folder.resolve("none")), "does not exist: mount the Secret");
  }

  @Test
  void aSecretThatIsNotMountedOrNotComplete_isNamed() throws IOException {
    Path secret = Files.createDirectory(folder.resolve("gpu-share"));

    assertRefused(secret("other"), "Secret \"other\" is not mounted at " + folder + "/other");
    assertRefused(secret("../.."), "is not mounted");
    assertRefused(secret("gpu-share"), "has neither ca.crt nor tls.crt");
    Files.writeString(secret.resolve("tls.crt"), "the certificate");
    assertRefused(secret("gpu-share"), "has only one of tls.crt and tls.key");
  }
}

package io.berth.demo.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kubeconfigs for the server of another one. */
class KubeconfigTest {
  private static final String AUTHORITY = "-----BEGIN CERTIFICATE-----\nAAAA\n";
  private static final String ENCODED = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkFBQUEK";

  private static ConfigBuilder server() {
    return new ConfigBuilder(Config.empty()).withMasterUrl("https://127.0.0.1:6443");
  }

  private static Config withToken(ConfigBuilder server) throws IOException {
    return Config.fromKubeconfig(Kubeconfig.of(server.build(), "secret"));
  }

  @Test
  void authorityInAFileOrInTheKubeconfig_isTrusted(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("ca.crt"), AUTHORITY);

    for (ConfigBuilder server :
        new ConfigBuilder[] {
          server().withCaCertFile(file.toString()),
          server().withCaCertData(AUTHORITY),
          server().withCaCertData(ENCODED),
          server().withCaCertData(ENCODED.substring(0, 8) + "\n" + ENCODED.substring(8))
        }) {
      Config config = withToken(server);

      assertThat(config.getCaCertData()).isEqualTo(ENCODED);
      assertThat(config.isTrustCerts()).isFalse();
      assertThat(config.getAutoOAuthToken()).isEqualTo("secret");
      assertThat(config.getMasterUrl()).startsWith("https://127.0.0.1:6443");
    }
  }

  @Test
  void serverThatIsTrustedInAnyCase_staysSo() throws IOException {
    Config config = withToken(server().withTrustCerts(true));

    assertThat(config.isTrustCerts()).isTrue();
    assertThat(config.getCaCertData()).isNull();
  }

  @Test
  void withoutAuthority_thoseOfTheSystemAreTrusted() throws IOException {
    Config config = withToken(server());

    assertThat(config.isTrustCerts()).isFalse();
    assertThat(config.getCaCertData()).isNull();
  }
}

package io.berth.operator.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProxyEnvironmentTest {

  private static Config applied(Map<String, String> environment) {
    return ProxyEnvironment.of(environment).applyTo(Config.empty());
  }

  @Test
  void proxyAndItsExceptions_areTakenOver_inCapitalsOrNot() {
    Config config =
        applied(
            Map.of(
                "https_proxy", "http://proxy.test:3128",
                "NO_PROXY", "10.0.0.0/8, *.cluster.local,kubernetes.default.svc,"));

    assertThat(config.getHttpsProxy()).isEqualTo("http://proxy.test:3128");
    assertThat(config.getHttpProxy()).isNull();
    assertThat(config.getNoProxy())
        .containsExactly("10.0.0.0/8", ".cluster.local", "kubernetes.default.svc");
  }

  @Test
  void star_exceptsEverything() {
    assertThat(
            applied(Map.of("HTTPS_PROXY", "http://proxy.test:3128", "NO_PROXY", "*"))
                .getHttpsProxy())
        .isNull();
  }

  @Test
  void proxyOfTheKubeconfig_goesFirst() {
    Config own = new ConfigBuilder(Config.empty()).withHttpsProxy("http://own.test:1").build();

    Config config =
        ProxyEnvironment.of(Map.of("HTTPS_PROXY", "http://proxy.test:3128")).applyTo(own);

    assertThat(config.getHttpsProxy()).isEqualTo("http://own.test:1");
  }

  @Test
  void emptyEnvironment_changesNothing() {
    assertThat(applied(Map.of("HTTPS_PROXY", " ")).getHttpsProxy()).isNull();
  }
}

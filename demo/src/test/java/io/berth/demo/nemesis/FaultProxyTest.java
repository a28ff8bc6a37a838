package io.berth.demo.nemesis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.berth.demo.nemesis.FaultProxy.Refusal;
import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.berth.sandbox.http.Certificates;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client of an API server behind a fault-injecting proxy and link. */
class FaultProxyTest {
  private static final Weather ALL_THROTTLED = new Weather(1, 0, 0, Duration.ZERO);
  private static final Weather ALL_FAILING = new Weather(0, 1, 0, Duration.ZERO);
  private static final Weather ALL_LOST = new Weather(0, 0, 1, Duration.ZERO);

  private final Vertx vertx = Vertx.vertx();
  private Sandbox sandbox;
  private KubernetesClient direct;
  private FaultProxy proxy;
  private TcpLink link;
  private KubernetesClient exposed;

  @BeforeEach
  void start() throws Exception {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    Config config = Config.fromKubeconfig(sandbox.kubeconfig());
    direct = new KubernetesClientBuilder().withConfig(config).build();
    Certificates certificates = Certificates.make("127.0.0.1");
    proxy =
        new FaultProxy(
            vertx,
            URI.create(config.getMasterUrl()),
            SSLUtils.trustManagers(config)[0],
            certificates.keyManager(),
            1);
    link = new TcpLink(vertx, proxy.port());
    exposed =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder(config)
                    .withMasterUrl("https://127.0.0.1:" + link.port())
                    .withCaCertData(null)
                    .withCaCertFile(null)
                    .withTrustCerts(true)
                    .withRequestRetryBackoffLimit(0)
                    .withRequestTimeout(3_000)
                    .build())
            .build();
  }

  @AfterEach
  void stop() {
    exposed.close();
    link.close();
    proxy.close();
    direct.close();
    sandbox.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  @Test
  void clearWeather_passesEverythingOn() {
    create("one");

    assertThat(exposed.configMaps().inNamespace("default").withName("one").get()).isNotNull();
    assertThat(exists("one")).isTrue();
  }

  @Test
  void throttled_isAnswered429_andNotDone() {
    proxy.weather(ALL_THROTTLED);

    assertThatThrownBy(() -> create("one"))
        .isInstanceOfSatisfying(
            KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(429));
    assertThat(exists("one")).isFalse();
    assertThat(proxy.refused(Refusal.THROTTLED)).isEqualTo(1);
  }

  @Test
  void failed_isAnswered500_andNotDone() {
    proxy.weather(ALL_FAILING);

    assertThatThrownBy(() -> create("one"))
        .isInstanceOfSatisfying(
            KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(500));
    assertThat(exists("one")).isFalse();
  }

  @Test
  void lost_isAnswered504_andDone() {
    proxy.weather(ALL_LOST);

    assertThatThrownBy(() -> create("one"))
        .isInstanceOfSatisfying(
            KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(504));
    assertThat(exists("one")).isTrue();
    assertThat(exposed.configMaps().inNamespace("default").withName("one").get())
        .as("reads are never lost")
        .isNotNull();
  }

  @Test
  void watch_endsWhenTheWireIsCut_andNewConnectionsFailUntilItIsMended() {
    List<String> seen = new CopyOnWriteArrayList<>();
    try (Watch _ = watch(seen)) {
      create("one");
      await().untilAsserted(() -> assertThat(seen).contains("one"));

      link.cut();
      assertThatThrownBy(() -> create("two")).isInstanceOf(KubernetesClientException.class);
      link.mend();
      create("three");

      assertThat(exists("two")).isFalse();
      await().untilAsserted(() -> assertThat(seen).contains("three"));
    }
  }

  @Test
  void silentWire_holdsBackWhatIsSent_untilItIsMended() {
    List<String> seen = new CopyOnWriteArrayList<>();
    try (Watch _ = watch(seen)) {
      create("one");
      await().untilAsserted(() -> assertThat(seen).contains("one"));

      link.silence();
      assertThatThrownBy(() -> create("two")).isInstanceOf(KubernetesClientException.class);
      createDirectly("three");
      assertThat(seen).doesNotContain("three");
      link.mend();

      await().untilAsserted(() -> assertThat(seen).contains("three"));
    }
  }

  private Watch watch(List<String> seen) {
    return exposed
        .configMaps()
        .inNamespace("default")
        .watch(
            new Watcher<ConfigMap>() {
              @Override
              public void eventReceived(Action action, ConfigMap object) {
                seen.add(object.getMetadata().getName());
              }

              @Override
              public void onClose(WatcherException cause) {
                seen.add("closed");
              }
            });
  }

  private void create(String name) {
    exposed.resource(configMap(name)).create();
  }

  private void createDirectly(String name) {
    direct.resource(configMap(name)).create();
  }

  private static ConfigMap configMap(String name) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("default")
        .endMetadata()
        .build();
  }

  private boolean exists(String name) {
    return direct.configMaps().inNamespace("default").withName(name).get() != null;
  }
}

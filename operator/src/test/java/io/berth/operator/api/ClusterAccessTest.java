package io.berth.operator.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.operator.api.FrontEnd.Asked;
import io.berth.operator.api.FrontEnd.Reply;
import io.berth.operator.api.FrontEnd.Speaks;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Clients of the Kubernetes client library that write only during a leader's term. */
class ClusterAccessTest {

  private static final ConfigMap OBJECT =
      new ConfigMapBuilder()
          .withNewMetadata()
          .withNamespace("a")
          .withName("b")
          .endMetadata()
          .build();
  private static final Reply OK =
      Reply.of(200, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{}}");

  private final AtomicBoolean leads = new AtomicBoolean(true);

  private static ConfigBuilder config(FrontEnd server) {
    return new ConfigBuilder(Config.empty()).withMasterUrl(server.url());
  }

  @Test
  void afterTheTermHasEnded_nothingIsWritten_andReadingGoesOn() throws Exception {
    try (FrontEnd server = new FrontEnd(Speaks.HTTP_1_IN_THE_CLEAR, asked -> OK);
        KubernetesClient client =
            ClusterAccess.of(config(server).build()).clientOnlyWhile(leads::get)) {
      client.resource(OBJECT).create();

      leads.set(false);

      assertThatThrownBy(() -> client.resource(OBJECT).create())
          .isInstanceOf(TermOverException.class);
      assertThatThrownBy(() -> client.resource(OBJECT).patchStatus())
          .isInstanceOf(TermOverException.class);
      assertThatThrownBy(() -> client.resource(OBJECT).delete())
          .isInstanceOf(TermOverException.class);
      assertThat(client.resource(OBJECT).get()).isNotNull();
      assertThat(server.asked().stream().map(Asked::method)).containsExactly("POST", "GET");
    }
  }

  @Test
  void writeWhoseTokenIsRenewed_isNotSentAgain_ifTheTermEndedMeanwhile() throws Exception {
    AtomicBoolean renewed = new AtomicBoolean();
    try (FrontEnd server =
        new FrontEnd(
            Speaks.HTTP_1_IN_THE_CLEAR,
            asked -> {
              leads.set(false);
              renewed.set(true);
              return Reply.of(401, "{\"message\":\"Unauthorized\"}");
            })) {
      Config config =
          config(server).withOauthTokenProvider(() -> renewed.get() ? "second" : "first").build();
      ClusterAccess access = ClusterAccess.of(config, () -> renewed.get() ? 20_000_000_000L : 0);

      try (KubernetesClient client = access.clientOnlyWhile(leads::get)) {
        assertThatThrownBy(() -> client.resource(OBJECT).create())
            .hasMessageContaining("Unauthorized");
      }

      assertThat(server.asked()).hasSize(1);
    }
  }
}

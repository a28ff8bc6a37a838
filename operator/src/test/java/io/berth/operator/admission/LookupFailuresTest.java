package io.berth.operator.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.operator.record.BerthMetrics;
import io.berth.webhook.admission.LookupFailedException;
import io.berth.webhook.binding.CatalogPart;
import io.berth.webhook.binding.LiveCatalog;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The reasons that a review gives for what the API server did not tell it. */
class LookupFailuresTest {
  private static final String POLICY = "/apis/sched.cloud.ctrip.com/v1/schedulingpolicies/batch";
  private static final String BINDINGS =
      "/apis/sched.cloud.ctrip.com/v1/schedulerconfigbindings?limit=500";

  /** The answer of an API server whose etcd has used up its quota. */
  private static final Status NO_SPACE =
      new StatusBuilder()
          .withStatus("Failure")
          .withMessage("etcdserver: mvcc: database space exceeded")
          .withCode(500)
          .build();

  private final KubernetesMockServer server = new KubernetesMockServer(false);
  private KubernetesClient client;

  @BeforeEach
  void start() {
    server.init();
    client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder()
                    .withMasterUrl("http://localhost:" + server.getPort())
                    .withRequestRetryBackoffLimit(0)
                    .build())
            .build();
  }

  @AfterEach
  void stop() {
    client.close();
    server.destroy();
  }

  @Test
  void errorOfEtcd_isReportedInTheServersWords() {
    server.expect().get().withPath(POLICY).andReturn(500, NO_SPACE).always();

    assertThatThrownBy(() -> new ReadThroughLookup(client).policy("batch"))
        .isInstanceOf(LookupFailedException.class)
        .hasMessageContaining("SchedulingPolicy batch: ")
        .hasMessageContaining("database space exceeded");
  }

  @Test
  void answerThatComesTooLate_isNotWaitedFor() {
    server.expect().get().delay(5, TimeUnit.SECONDS).withPath(POLICY).andReturn(200, "{}").once();

    assertThatThrownBy(() -> new ReadThroughLookup(client).policy("batch"))
        .hasMessage("SchedulingPolicy batch: no answer within a second");
  }

  @Test
  void listThatFails_isTheDoubtOfTheReview() {
    server.expect().get().withPath(BINDINGS).andReturn(500, NO_SPACE).always();
    ConfigReading reading =
        new ConfigReading(client, "berth-system", () -> new ConfigReading.Sizes(0, 0), true);
    CaughtUpCatalog catalog =
        new CaughtUpCatalog(
            new LiveCatalog("berth-system"), reading::read, new BerthMetrics(List.of("berth")));

    assertThat(catalog.asOfNow("team", known -> Set.of(CatalogPart.BINDINGS)).doubt().orElse(""))
        .contains("the API server answered 500 to list");
  }
}

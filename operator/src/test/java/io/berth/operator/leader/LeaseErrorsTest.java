package io.berth.operator.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The log of a candidate whose Lease the API server cannot store. */
class LeaseErrorsTest {
  private static final String LEASES =
      "/apis/coordination.k8s.io/v1/namespaces/berth-system/leases";
  private static final LeaseTimes FAST =
      new LeaseTimes(Duration.ofSeconds(3), Duration.ofSeconds(2), Duration.ofMillis(200));

  /** The answer of kube-apiserver 1.36.2 when its etcd has used up its quota (NOSPACE). */
  private static final Status NO_SPACE =
      new StatusBuilder()
          .withStatus("Failure")
          .withMessage("etcdserver: mvcc: database space exceeded")
          .withCode(500)
          .build();

  private final KubernetesMockServer server = new KubernetesMockServer(false);
  private final List<String> logged = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          logged.add(event.getFormattedMessage());
        }
      };
  private KubernetesClient client;

  private static final class Nobody implements LeaderListener {
    @Override
    public void startedLeading(Term term) {}

    @Override
    public void stoppedLeading(Term ended) {}

    @Override
    public void lostLease() {}
  }

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
    appender.start();
    ((Logger) LoggerFactory.getLogger(LeaderElection.class)).addAppender(appender);
  }

  @AfterEach
  void stop() {
    ((Logger) LoggerFactory.getLogger(LeaderElection.class)).detachAppender(appender);
    client.close();
    server.destroy();
  }

  @Test
  void errorOfEtcd_isLoggedAsTheServerSaysIt() {
    server.expect().post().withPath(LEASES).andReturn(500, NO_SPACE).always();

    try (LeaderElection candidate =
        new LeaderElection(
            client, "berth-system", "berth", "one", "one:8080", FAST, new Nobody())) {
      candidate.start();

      await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(
              () ->
                  assertThat(logged)
                      .anySatisfy(
                          line ->
                              assertThat(line)
                                  .contains("could not be read or written")
                                  .contains("database space exceeded")));
      assertThat(logged).noneMatch(line -> line.contains("did not answer in time"));
    }
  }
}

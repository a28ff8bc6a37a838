package io.berth.operator.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.operator.api.ScriptedServer;
import io.berth.operator.api.ScriptedServer.Reply;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A restored etcd shows in the version of the Lease. */
class LeaseThatGoesBackTest {
  private final List<String> findings = new CopyOnWriteArrayList<>();
  private volatile String version = "100";
  private ScriptedServer server;
  private KubernetesClient client;
  private LeaseRequests requests;

  @BeforeEach
  void start() throws IOException {
    server =
        new ScriptedServer(
            (path, body) ->
                version.isEmpty()
                    ? new Reply(404, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":404}")
                    : new Reply(200, lease()));
    client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder()
                    .withMasterUrl(server.url())
                    .withRequestRetryBackoffLimit(0)
                    .build())
            .build();
    requests =
        new LeaseRequests(
            client,
            new LeaseRecord("berth-system", "berth", "one", "one:8443", Duration.ofSeconds(7)),
            findings::add);
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private String lease() {
    return """
    {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"namespace":
    "berth-system", "name": "berth", "resourceVersion": "%s"}, "spec": {"holderIdentity": "one"}}
    """
        .formatted(version);
  }

  @Test
  void anOlderLease_isFound_whetherItIsReadOrWritten() {
    requests.take(requests.read());
    assertThat(findings).isEmpty();

    version = "99";
    requests.read();
    assertThat(findings)
        .singleElement()
        .asString()
        .contains("etcd was restored", "Lease berth-system/berth is at resource version 99")
        .endsWith("was at 100 before");

    requests.renew();
    assertThat(findings).hasSize(2);
  }

  @Test
  void aLeaseThatIsNewer_orTheSame_orGone_isNoFinding() {
    requests.read();
    version = "101";
    requests.take(requests.read());
    version = "";
    assertThat(requests.read()).isNull();
    version = "102";
    requests.read();
    assertThat(findings).isEmpty();
  }
}

package io.berth.operator.query;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.model.Card;
import io.berth.engine.model.CardInventory;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reviews of workloads on two nodes, of which each has 1 CPU free. */
class WorkloadReviewsTest {
  private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();

  private final QueryGround ground = new QueryGround();

  @AfterEach
  void stop() {
    ground.close();
  }

  static String workload(String apiVersion, String kind, String spec) {
    return """
    {"workload": {"apiVersion": "%s", "kind": "%s", "metadata": {"name": "w"}, "spec": {%s
      "template": {"metadata": {"labels": {"app": "w"}}, "spec": {"schedulerName": "berth",
        "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}}}}
    """
        .formatted(apiVersion, kind, spec);
  }

  private JsonNode status(String spec) throws IOException {
    return QueryGround.status(ground.review("admin", "team-a", "", spec));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "apps/v1  | Deployment            | 'replicas: 3'                     | 3",
        "apps/v1  | StatefulSet           | 'replicas: 2'                     | 2",
        "v1       | ReplicationController | 'replicas: 4'                     | 4",
        "apps/v1  | Deployment            | 'replicas: 0'                     | 1",
        "apps/v1  | ReplicaSet            | ''                                | 1",
        "apps/v1  | DaemonSet             | ''                                | 1",
        "batch/v1 | Job                   | 'parallelism: 3'                  | 3",
        "batch/v1 | Job                   | 'parallelism: 3, \"completions\": 2' | 2",
      })
  void asManyPodsAreTried_asTheWorkloadRuns(String apiVersion, String kind, String fields, int pods)
      throws IOException {
    JsonNode status = status(workload(apiVersion, kind, fields == null ? "" : spec(fields)));

    assertThat(status.path("placed").asInt() + status.path("notPlaced").asInt())
        .as(status.toPrettyString())
        .isEqualTo(pods);
    assertThat(status.path("result").asText()).isEqualTo(pods > 2 ? "FitsPartly" : "Fits");
  }

  private static String spec(String fields) {
    return fields.isEmpty() ? "" : "\"" + fields.replaceFirst(":", "\":") + ",";
  }

  @Test
  void job_ofACronJob_hasItsParallelism() throws IOException {
    String job = workload("batch/v1", "Job", "\"parallelism\": 2,");
    String spec = job.substring(job.indexOf("\"spec\": {") + 8, job.lastIndexOf("}}"));
    String cronJob =
        """
        {"workload": {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "w"},
          "spec": {"jobTemplate": {"spec": %s}}}}
        """
            .formatted(spec);

    assertThat(status(cronJob).path("placed").asInt()).isEqualTo(2);
  }

  @Test
  void replicasOfTheReview_prevail() throws IOException {
    String deployment = workload("apps/v1", "Deployment", "\"replicas\": 3,");

    assertThat(status(deployment.replaceFirst("\\{", "{\"replicas\": 2, ")).path("result").asText())
        .isEqualTo("Fits");
  }

  @Test
  void bindingThatMakesAGroup_makesOneOfAJob_thatFitsWholeOrNotAtAll() throws IOException {
    bind("\"group\": {}");

    JsonNode two = status(workload("batch/v1", "Job", "\"parallelism\": 2,"));
    assertThat(two.path("placed").asInt()).as(two.toPrettyString()).isEqualTo(2);
    JsonNode three = status(workload("batch/v1", "Job", "\"parallelism\": 3,"));
    assertThat(three.path("placed").asInt()).as(three.toPrettyString()).isZero();
    assertThat(three.path("result").asText()).isEqualTo("DoesNotFit");
    JsonNode loose = status(workload("apps/v1", "Deployment", "\"replicas\": 3,"));
    assertThat(loose.path("placed").asInt()).as(loose.toPrettyString()).isEqualTo(2);
  }

  @Test
  void podWithCards_getsThoseThatItWouldBeAssigned() throws IOException {
    ground.know(
        new ClusterEvent.NodeUpserted(
            Nodes.node("gpus")
                .milliCpu(4_000)
                .allocatable("gpu.sched.cloud.ctrip.com/milli-gpu", 2_000)
                .cards(
                    new CardInventory(
                        "plain",
                        List.of(Card.of("T4"), Card.of("T4")),
                        CardInventory.Order.FREE,
                        CardInventory.AtOnce.ANY,
                        Optional.empty()))
                .build()));
    String spec =
        QueryGround.pod("1", "")
            .replace("{\"cpu\"", "{\"gpu.sched.cloud.ctrip.com/milli-gpu\": \"2000\", \"cpu\"");

    JsonNode placement = status(spec).at("/placements/0");
    assertThat(placement.path("node").asText()).isEqualTo("gpus");
    assertThat(placement.path("cards")).hasToString("{\"c\":[0,1]}");
    JsonNode ofTenant =
        QueryGround.status(ground.review("tenant", "team-a", "", spec)).at("/placements/0");
    assertThat(ofTenant.has("cards")).isFalse();
  }

  @Test
  void daemonSet_isNotSelectedByBindings() throws IOException {
    bind("\"schedulingPolicy\": \"none\"");

    assertThat(status(workload("apps/v1", "DaemonSet", "")).at("/policy/name").asText())
        .isEqualTo("usual");
  }

  @Test
  void workloadsThatCannotBeRead_areRefused() {
    for (String spec :
        new String[] {
          "{\"workload\": {}}",
          "{\"workload\": {\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\":"
              + " \"p\"}}}",
          workload("apps/v1", "Deployment", "\"replicas\": 6000,"),
        }) {
      assertThat(ground.review("admin", "team-a", "", spec).status()).as(spec).isEqualTo(422);
    }
  }

  private void bind(String fields) {
    ground.serve(
        SERIALIZATION.unmarshal(
            """
            {"metadata": {"namespace": "team-a", "name": "b", "uid": "b", "generation": 1,
                          "creationTimestamp": "2026-01-01T00:00:00Z"},
             "spec": {"podSelector": {"matchLabels": {"app": "w"}}, %s}}
            """
                .formatted(fields),
            SchedulerConfigBinding.class));
  }
}

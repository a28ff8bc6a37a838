package io.berth.demo.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.demo.ground.BerthGround;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workloads whose pods would be denied are admitted with a warning. */
class WorkloadWarningsTest {

  private static final String TEMPLATE =
      """
      {"metadata": {"labels": {"app": "web"}, "annotations": {"scb.sched.cloud.ctrip.com/nsc": "no-such-config"}},
       "spec": {"restartPolicy": "%s", "containers": [{"name": "main", "image": "busybox"}]}}
      """;

  private static BerthGround ground;

  @BeforeAll
  static void start() throws Exception {
    ground = BerthGround.start();
  }

  @AfterAll
  static void stop() {
    ground.close();
  }

  @ParameterizedTest
  @CsvSource({
    "Deployment, apps/v1, deployments",
    "StatefulSet, apps/v1, statefulsets",
    "DaemonSet, apps/v1, daemonsets",
    "Job, batch/v1, jobs",
    "CronJob, batch/v1, cronjobs"
  })
  void workloadWhosePodsWouldBeDenied_isAdmittedWithAWarning(
      String kind, String version, String plural) throws Exception {
    HttpResponse<byte[]> answer =
        post(
            "/apis/" + version + "/namespaces/default/" + plural,
            """
            {"apiVersion": "%s", "kind": "%s", "metadata": {"name": "web"}, "spec": %s}
            """
                .formatted(version, kind, spec(kind)));

    assertThat(answer.code()).isEqualTo(201);
    List<String> warnings = answer.headers("Warning");
    assertThat(warnings).hasSize(1);
    assertThat(warnings.getFirst())
        .contains(
            "the pods of this %s would be denied: BERTH-1601".formatted(kind), "no-such-config");
  }

  private static String spec(String kind) {
    String selected = "{\"selector\": {\"matchLabels\": {\"app\": \"web\"}}, %s\"template\": %s}";
    return switch (kind) {
      case "StatefulSet" ->
          selected.formatted("\"serviceName\": \"web\", ", TEMPLATE.formatted("Always"));
      case "Job" -> "{\"template\": %s}".formatted(TEMPLATE.formatted("Never"));
      case "CronJob" ->
          "{\"schedule\": \"0 4 * * *\", \"jobTemplate\": {\"spec\": {\"template\": %s}}}"
              .formatted(TEMPLATE.formatted("Never"));
      default -> selected.formatted("", TEMPLATE.formatted("Always"));
    };
  }

  private static HttpResponse<byte[]> post(String path, String json) throws Exception {
    String server = ground.admin().getMasterUrl().toString();
    var http = ground.admin().getHttpClient();
    return http.sendAsync(
            http.newHttpRequestBuilder()
                .uri(server.replaceAll("/$", "") + path)
                .post("application/json", json)
                .build(),
            byte[].class)
        .get(BerthGround.SOON.toSeconds(), TimeUnit.SECONDS);
  }
}

package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.kubelet.KubeletOptions;
import java.time.Clock;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Defaults and limits of a namespace: LimitRanges, ResourceQuotas, and default objects. */
class NamespaceBoundsTest {
  private static final String NAMESPACE = "/api/v1/namespaces/default";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Sandbox sandbox = Sandbox.start(SandboxOptions.defaults());
  private final SimulatedCluster cluster =
      SimulatedCluster.start(sandbox.api(), KubeletOptions.immediate(), Clock.systemUTC());
  private final TestClient client = new TestClient(sandbox);

  @AfterEach
  void stop() {
    cluster.close();
    sandbox.close();
  }

  @Test
  void pod_getsTheDefaultsOfTheLimitRange_andItsQosClassFollows() {
    limitRange("{type: Container, default: {cpu: 500m, memory: 500Mi}, min: {cpu: 50m}}");

    JsonNode pod = createPod("bare", "{}").body();

    assertThat(pod.at("/spec/containers/0/resources"))
        .isEqualTo(
            Yaml.tree(
                "{limits: {cpu: 500m, memory: 500Mi}, requests: {cpu: 500m, memory: 500Mi}}"));
    assertThat(pod.at("/status/qosClass").asText()).isEqualTo("Guaranteed");
    assertThat(pod.at("/metadata/annotations").path("kubernetes.io/limit-ranger").asText())
        .isEqualTo(
            "LimitRanger plugin set: cpu, memory request for container c; cpu, memory limit for"
                + " container c");
  }

  @Test
  void pod_outsideTheLimitRange_isRefusedWithTheBound() {
    limitRange("{type: Container, min: {cpu: 50m}, max: {cpu: '1'}}");

    assertThat(message(createPod("small", "{requests: {cpu: 10m}}")))
        .isEqualTo(
            "pods \"small\" is forbidden: minimum cpu usage per Container is 50m, but request is"
                + " 10m");
    assertThat(message(createPod("large", "{requests: {cpu: 1}, limits: {cpu: 1500m}}")))
        .isEqualTo(
            "pods \"large\" is forbidden: maximum cpu usage per Container is 1, but limit is"
                + " 1500m");
  }

  @Test
  void pod_whoseLimitIsFarAboveItsRequest_isRefusedByTheRatio() {
    limitRange("{type: Pod, maxLimitRequestRatio: {cpu: 2}}");

    assertThat(message(createPod("greedy", "{requests: {cpu: 100m}, limits: {cpu: 300m}}")))
        .isEqualTo(
            "pods \"greedy\" is forbidden: cpu max limit to request ratio per Pod is 2, but"
                + " provided ratio is 3.000000");
  }

  @Test
  void quota_countsPods_andRefusesWhatExceedsIt() {
    quota("{hard: {pods: 2, requests.cpu: 300m}}");

    assertThat(createPod("one", "{requests: {cpu: 100m}}").code()).isEqualTo(201);
    assertThat(createPod("two", "{requests: {cpu: 150m}}").code()).isEqualTo(201);
    assertThat(message(createPod("three", "{requests: {cpu: 100m}}")))
        .isEqualTo(
            "pods \"three\" is forbidden: exceeded quota: q, requested:"
                + " pods=1,requests.cpu=100m, used: pods=2,requests.cpu=250m, limited:"
                + " pods=2,requests.cpu=300m");

    client.delete(NAMESPACE + "/pods/two");

    await().atMost(PATIENCE).untilAsserted(() -> assertThat(used("pods")).isEqualTo("1"));
    assertThat(createPod("three", "{requests: {cpu: 100m}}").code()).isEqualTo(201);
  }

  @Test
  void charge_isNotTakenBack_whileItsPodIsNotStoredYet() {
    quota("{hard: {pods: 2}}");

    // Admission charges a pod in the same way before it is stored.
    TestClient.Reply charged =
        client.patch(
            NAMESPACE + "/resourcequotas/q/status",
            "application/merge-patch+json",
            Yaml.json("{status: {used: {pods: '1'}}}"));
    assertThat(charged.code()).as(charged.body().toString()).isEqualTo(200);
    // The controller handles one quota after another.
    quota("later", "{hard: {pods: 2}}");

    assertThat(used("pods")).isEqualTo("1");
  }

  @Test
  void quota_asksForTheRequestsThatItBounds() {
    quota("{hard: {requests.cpu: 1}}");

    assertThat(message(createPod("silent", "{}")))
        .isEqualTo(
            "pods \"silent\" is forbidden: failed quota: q: must specify requests.cpu for: c");
  }

  @Test
  void quota_scopedToAPriorityClass_countsItsPodsAlone() {
    client.post(
        "/apis/scheduling.k8s.io/v1/priorityclasses",
        Yaml.json("{metadata: {name: high}, value: 1000}"));
    quota(
        """
        {hard: {pods: 1}, scopeSelector: {matchExpressions:
          [{scopeName: PriorityClass, operator: In, values: [high]}]}}\
        """);

    assertThat(createPod("low-1", "{}").code()).isEqualTo(201);
    assertThat(createPod("low-2", "{}").code()).isEqualTo(201);
    assertThat(createPod("high-1", "{}", "priorityClassName: high,").code()).isEqualTo(201);
    assertThat(message(createPod("high-2", "{}", "priorityClassName: high,")))
        .contains("exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1");
  }

  @Test
  void quota_countsObjectsOfAnyKind() {
    quota("{hard: {count/deployments.apps: 0, configmaps: 2}}");
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(used("configmaps")).isEqualTo("1"));

    assertThat(client.post(NAMESPACE + "/configmaps", Yaml.json("{metadata: {name: mine}}")).code())
        .isEqualTo(201);
    assertThat(
            message(client.post(NAMESPACE + "/configmaps", Yaml.json("{metadata: {name: more}}"))))
        .isEqualTo(
            "configmaps \"more\" is forbidden: exceeded quota: q, requested: configmaps=1, used:"
                + " configmaps=2, limited: configmaps=2");
  }

  @Test
  void namespace_hasItsServiceAccountAndTheCertificateAuthority() {
    client.post("/api/v1/namespaces", Yaml.json("{metadata: {name: team}}"));

    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(client.get("/api/v1/namespaces/team/serviceaccounts/default").code())
                  .isEqualTo(200);
              assertThat(
                      client
                          .get("/api/v1/namespaces/team/configmaps/kube-root-ca.crt")
                          .body()
                          .path("data")
                          .path("ca.crt")
                          .asText())
                  .isEqualTo(sandbox.certificateAuthority());
            });
  }

  @Test
  void serviceKubernetes_leadsToTheServer() {
    assertThat(client.get(NAMESPACE + "/services/kubernetes").body().at("/spec/clusterIP").asText())
        .isEqualTo("10.96.0.1");
    JsonNode slice =
        client.get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes").body();
    assertThat(sandbox.url())
        .isEqualTo(
            "https://"
                + slice.at("/endpoints/0/addresses/0").asText()
                + ":"
                + slice.at("/ports/0/port").asInt());
  }

  private void limitRange(String limit) {
    TestClient.Reply reply =
        client.post(
            NAMESPACE + "/limitranges",
            Yaml.json("{metadata: {name: l}, spec: {limits: [" + limit + "]}}"));
    assertThat(reply.code()).as(reply.body().toString()).isEqualTo(201);
  }

  private void quota(String spec) {
    quota("q", spec);
  }

  private void quota(String name, String spec) {
    TestClient.Reply reply =
        client.post(
            NAMESPACE + "/resourcequotas",
            Yaml.json("{metadata: {name: " + name + "}, spec: " + spec + "}"));
    assertThat(reply.code()).as(reply.body().toString()).isEqualTo(201);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(
                        client
                            .get(NAMESPACE + "/resourcequotas/" + name)
                            .body()
                            .path("status")
                            .path("used")
                            .isEmpty())
                    .isFalse());
  }

  private String used(String resource) {
    return client
        .get(NAMESPACE + "/resourcequotas/q")
        .body()
        .path("status")
        .path("used")
        .path(resource)
        .asText();
  }

  private TestClient.Reply createPod(String name, String resources) {
    return createPod(name, resources, "");
  }

  private TestClient.Reply createPod(String name, String resources, String spec) {
    return client.post(
        NAMESPACE + "/pods",
        Yaml.json(
            "{metadata: {name: %s}, spec: {%s containers: [{name: c, image: i, resources: %s}]}}"
                .formatted(name, spec, resources)));
  }

  private static String message(TestClient.Reply reply) {
    assertThat(reply.code()).as(reply.body().toString()).isEqualTo(403);
    return reply.body().path("message").asText();
  }
}

package io.berth.demo.nemesis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.LocalCluster;
import io.berth.demo.cluster.Manifests;
import io.berth.operator.Berth;
import io.berth.operator.BerthOptions;
import io.berth.operator.fixtures.ExpectedLog;
import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.berth.sandbox.SimulatedCluster;
import io.berth.sandbox.http.Certificates;
import io.berth.sandbox.kubelet.KubeletOptions;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A reproduction of an outage in which GPU pods whose annotations changed during scheduling were
 * scheduled twice, reported as unschedulable, and held unused resources. Here, pods fill every card
 * to the last thousandth, behind an API server that fails Bindings, loses responses, and delays all
 * requests. The default is 960 pods; {@code -Dberth.nodes=125} results in 10,000.
 */
class GpuOutageTest {
  private static final int NODES = Integer.getInteger("berth.nodes", 12);
  private static final int CARDS_OF_NODE = 8;
  private static final int PODS_OF_CARD = 10;
  private static final int PODS = NODES * CARDS_OF_NODE * PODS_OF_CARD;
  private static final int CREATORS = 8;
  private static final Duration LONG = Duration.ofMinutes(4);

  /** Among as many Bindings as there are pods, none failing has a chance of 1 in 100,000. */
  private static final Weather ROUGH = new Weather(0, 0.012, 0.004, Duration.ofMillis(5));

  /** The kinds of manifests that Berth needs when it runs as administrator. */
  private static final Set<String> DEFINED = Set.of("CustomResourceDefinition", "Namespace");

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Vertx vertx = Vertx.vertx();
  private Sandbox sandbox;
  private SimulatedCluster cluster;
  private KubernetesClient admin;
  private FaultProxy proxy;
  private KubernetesClient exposed;

  @BeforeEach
  void start() throws Exception {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    cluster = SimulatedCluster.start(sandbox.api(), KubeletOptions.immediate(), Clock.systemUTC());
    admin = LocalCluster.admin(sandbox);
    Config config = admin.getConfiguration();
    Certificates certificates = Certificates.make("127.0.0.1");
    proxy =
        new FaultProxy(
            vertx,
            URI.create(config.getMasterUrl()),
            SSLUtils.trustManagers(config)[0],
            certificates.keyManager(),
            1);
    exposed =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder(config)
                    .withMasterUrl("https://127.0.0.1:" + proxy.port())
                    .withCaCertData(null)
                    .withCaCertFile(null)
                    .withTrustCerts(true)
                    .build())
            .build();
    new Manifests(admin)
        .apply(Checkout.find().manifests(), object -> DEFINED.contains(object.getKind()));
    admin
        .resource(
            """
            apiVersion: sched.cloud.ctrip.com/v1
            kind: SchedulingPolicy
            metadata: {name: gpu}
            spec: {gpu: {cardChoice: LeastFragmentation}}
            """)
        .serverSideApply();
    addNodes();
  }

  @AfterEach
  void stop() {
    exposed.close();
    proxy.close();
    admin.close();
    cluster.close();
    sandbox.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private void addNodes() throws IOException {
    cluster.addPool("G", NODES, Map.of("cpu", "64", "memory", "256Gi", "pods", "110"));
    List<Map<String, Object>> inventory =
        IntStream.range(0, CARDS_OF_NODE)
            .mapToObj(card -> Map.<String, Object>of("index", card, "memory", 16_384))
            .toList();
    String annotated = annotations("gpu.sched.cloud.ctrip.com/inventory", json(inventory));
    for (int i = 0; i < NODES; i++) {
      admin.nodes().withName("node-g-" + i).patch(merge(), annotated);
    }
  }

  private static String annotations(String key, String value) throws IOException {
    return json(Map.of("metadata", Map.of("annotations", Map.of(key, value))));
  }

  private static String json(Object value) throws IOException {
    return JSON.writeValueAsString(value);
  }

  private static PatchContext merge() {
    return PatchContext.of(PatchType.JSON_MERGE);
  }

  private static Pod pod(int number) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("default")
        .withName("gpu-" + number)
        .addToAnnotations("sched.cloud.ctrip.com/policy", "gpu")
        .endMetadata()
        .withNewSpec()
        .withSchedulerName("berth")
        .withTerminationGracePeriodSeconds(0L)
        .addNewContainer()
        .withName("main")
        .withImage("busybox")
        .withNewResources()
        .addToRequests("cpu", new Quantity("10m"))
        .addToRequests("gpu.sched.cloud.ctrip.com/milli-gpu", new Quantity("100"))
        .addToLimits("gpu.sched.cloud.ctrip.com/milli-gpu", new Quantity("100"))
        .endResources()
        .endContainer()
        .endSpec()
        .build();
  }

  /**
   * Creates every n-th pod and patches its annotations, for half of the pods immediately and for
   * the others later.
   */
  private Void createEveryNth(int first) throws IOException {
    for (int number = first; number < PODS; number += CREATORS) {
      admin.resource(pod(number)).create();
      int patched = number / CREATORS % 2 == 0 ? number : number - 21 * CREATORS;
      if (patched >= 0) {
        admin
            .pods()
            .inNamespace("default")
            .withName("gpu-" + patched)
            .patch(merge(), annotations("example.com/written-by", "somebody"));
      }
    }
    return null;
  }

  private void createAll() throws Exception {
    try (ExecutorService creators = Executors.newFixedThreadPool(CREATORS)) {
      List<Future<Void>> running = new ArrayList<>();
      for (int i = 0; i < CREATORS; i++) {
        int first = i;
        running.add(creators.submit(() -> createEveryNth(first)));
      }
      for (Future<Void> creator : running) {
        creator.get();
      }
    }
  }

  private List<Pod> pods() {
    return admin.pods().inNamespace("default").list().getItems();
  }

  /** Returns the usage of each card per node, computed from the annotations of bound pods. */
  private Map<String, Map<Integer, Integer>> usedFromScratch() throws IOException {
    Map<String, Map<Integer, Integer>> used = new TreeMap<>();
    for (Pod pod : pods()) {
      String given = pod.getMetadata().getAnnotations().get("gpu.sched.cloud.ctrip.com/cards");
      for (JsonNode card : JSON.readTree(given).path("main")) {
        used.computeIfAbsent(pod.getSpec().getNodeName(), node -> new TreeMap<>())
            .merge(card.intValue(), 100, Integer::sum);
      }
    }
    return used;
  }

  /** Returns the usage of each card per node according to Berth. */
  private static Map<String, Map<Integer, Integer>> usedByBerth(Berth berth) throws Exception {
    Map<String, Map<Integer, Integer>> used = new TreeMap<>();
    for (int i = 0; i < NODES; i++) {
      for (JsonNode card :
          JSON.readTree(get(berth, "/explain/node/node-g-%d/gpus".formatted(i))).path("cards")) {
        if (card.path("usedMilliCores").intValue() > 0) {
          used.computeIfAbsent("node-g-" + i, node -> new TreeMap<>())
              .put(card.path("id").asInt(), card.path("usedMilliCores").intValue());
        }
      }
    }
    return used;
  }

  private static String get(Berth berth, String path) throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(
                      URI.create("http://127.0.0.1:%d%s".formatted(berth.httpPort(), path)))
                  .header("Accept", "application/json")
                  .build(),
              HttpResponse.BodyHandlers.ofString())
          .body();
    }
  }

  private Berth berth(String identity) throws IOException, InterruptedException {
    return Berth.start(BerthOptions.local(identity).withHttp(0, true), exposed);
  }

  @Test
  @ExpectedLog("AbstractWatchManager ERROR Error received: .*code=500") // a fault of the proxy
  void pods_areScheduledOnce_andEveryCardIsCountedOnce() throws Exception {
    proxy.weather(ROUGH);
    try (Berth berth = berth("one")) {
      createAll();
      awaitThat(() -> assertThat(unbound()).isZero());

      assertThat(usedFromScratch()).hasSize(NODES);
      assertThat(usedFromScratch().values())
          .allSatisfy(cards -> assertThat(cards).hasSize(CARDS_OF_NODE))
          .allSatisfy(cards -> assertThat(cards.values()).containsOnly(1_000));
      assertThat(pods()).allMatch(pod -> pod.getStatus().getNominatedNodeName() == null);
      assertThat(proxy.bindings()).as("with those that failed").isGreaterThan(PODS);
      assertThat(get(berth, "/metrics"))
          .contains("scheduler_schedule_attempts_total")
          .doesNotContainPattern(
              "scheduler_schedule_attempts_total\\{[^}]*result=\"unschedulable\"[^}]*} [1-9]");
      assertThat(
              admin.events().v1().events().inAnyNamespace().list().getItems().stream()
                  .filter(event -> event.getReason().equals("FailedScheduling")))
          .allMatch(event -> event.getNote().startsWith("binding rejected"));

      deleteSome();
      awaitThat(() -> assertThat(usedByBerth(berth)).isEqualTo(usedFromScratch()));
    }
    try (Berth successor = berth("two")) {
      awaitThat(() -> assertThat(usedByBerth(successor)).isEqualTo(usedFromScratch()));
    }
  }

  /** Waits with a long poll interval, because each check lists all pods. */
  private static void awaitThat(ThrowingRunnable holds) {
    await().atMost(LONG).pollInterval(Duration.ofSeconds(2)).untilAsserted(holds);
  }

  private long unbound() {
    return pods().stream().filter(pod -> pod.getSpec().getNodeName() == null).count();
  }

  private void deleteSome() {
    for (int number = 0; number < PODS; number += 7) {
      admin.pods().inNamespace("default").withName("gpu-" + number).withGracePeriod(0).delete();
    }
  }
}

package io.berth.operator.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.operator.Berth;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pods on GPU cards, as seen by the nodes' agents, which the test simulates. */
class GpuServingTest {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final Map<String, String> HALF_BY_GPU_MANAGER =
      Map.of("tencent.com/vcuda-core", "50", "tencent.com/vcuda-memory", "8");

  private BerthOnSandbox cluster;

  @BeforeEach
  void start() throws IOException {
    cluster = new BerthOnSandbox(1);
    cluster.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: gpu}
        spec: {gpu: {cardChoice: LeastFragmentation}}
        """);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private void addGpuManagerNode(int cards) {
    cluster.addNode(
        "T",
        Map.of(
            "tencent.com/vcuda-core",
            String.valueOf(100 * cards),
            "tencent.com/vcuda-memory",
            String.valueOf(64 * cards)),
        Map.of());
  }

  private void addHamiNode() {
    cluster.addNode(
        "H",
        Map.of("nvidia.com/gpu", "20"),
        Map.of(
            "hami.io/node-nvidia-register",
            """
            [{"id":"GPU-a","count":10,"devmem":16384,"devcore":100,"type":"NVIDIA-T4","health":true},
             {"id":"GPU-b","index":1,"count":10,"devmem":16384,"devcore":100,"type":"NVIDIA-T4","health":true}]
            """));
  }

  private void create(String name, Map<String, String> resources, Map<String, String> annotations) {
    Map<String, Quantity> amounts = new HashMap<>();
    resources.forEach((resource, amount) -> amounts.put(resource, new Quantity(amount)));
    Pod pod =
        new PodBuilder(cluster.unboundPod(name, "gpu", "1"))
            .editMetadata()
            .addToAnnotations(annotations)
            .endMetadata()
            .editSpec()
            .editFirstContainer()
            .editResources()
            .addToRequests(amounts)
            .addToLimits(amounts)
            .endResources()
            .endContainer()
            .endSpec()
            .build();
    cluster.admin().resource(pod).create();
  }

  private Map<String, String> annotationsOnceBound(String pod) {
    await().atMost(SOON).until(() -> cluster.pod(pod).getSpec().getNodeName() != null);
    return cluster.pod(pod).getMetadata().getAnnotations();
  }

  private static String get(Berth berth, String path) throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      URI uri = URI.create("http://127.0.0.1:" + berth.httpPort() + path);
      return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    }
  }

  private List<Event> events() {
    return cluster.admin().events().v1().events().inAnyNamespace().list().getItems();
  }

  @Test
  void aPodOfAGpuManagerNode_isBoundWithWhatGpuManagerReads_inOneTransaction() throws Exception {
    addGpuManagerNode(2);
    try (Berth berth = cluster.replica("one")) {
      create("p", HALF_BY_GPU_MANAGER, Map.of());

      assertThat(annotationsOnceBound("p"))
          .containsEntry("tencent.com/predicate-gpu-idx-0", "0")
          .containsEntry("tencent.com/predicate-node", BerthOnSandbox.nodeOf("T"))
          .containsEntry("tencent.com/gpu-assigned", "false")
          .hasEntrySatisfying(
              "tencent.com/predicate-time", time -> assertThat(time).matches("[0-9]{19}"));
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(get(berth, "/explain/node/node-t-0/gpus"))
                      .contains("Agent  gpu-manager", "Card 0 : 500 of 1000 thousandths")
                      .contains("default/p, container main"));
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(get(berth, "/metrics"))
                      .contains("berth_gpu_milli 2000.0", "berth_gpu_milli_used 500.0")
                      .contains("berth_gpu_cards{free=\"500-749\"} 1.0")
                      .contains("berth_gpu_cards{free=\"1000\"} 1.0")
                      .contains("berth_gpu_card_milli_used{card=\"0\",node=\"node-t-0\"} 500.0"));
      assertThat(berth.isLeading()).isTrue();
    }
  }

  @Test
  void aPodOfAHamiNode_isBoundWithItsDevices_onceTheNodeIsLockedForIt() throws Exception {
    addHamiNode();
    try (Berth berth = cluster.replica("one")) {
      create("p", Map.of("nvidia.com/gpu", "1", "nvidia.com/gpumem", "4000"), Map.of());

      assertThat(annotationsOnceBound("p"))
          .containsEntry("hami.io/vgpu-node", BerthOnSandbox.nodeOf("H"))
          .containsEntry("hami.io/vgpu-devices-to-allocate", "GPU-a,NVIDIA,4000,0:;")
          .containsEntry("hami.io/vgpu-devices-allocated", "GPU-a,NVIDIA,4000,0:;")
          .containsEntry("hami.io/bind-phase", "allocating");
      assertThat(cluster.pod("p").getMetadata().getLabels())
          .containsEntry("hami.io/vgpu-node", BerthOnSandbox.nodeOf("H"));
      assertThat(
              cluster
                  .admin()
                  .nodes()
                  .withName(BerthOnSandbox.nodeOf("H"))
                  .get()
                  .getMetadata()
                  .getAnnotations()
                  .get("hami.io/mutex.lock"))
          .endsWith(",default,p");
      assertThat(berth.isLeading()).isTrue();
    }
  }

  @Test
  void nodeAnnotationsThatCannotBeRead_takeOutTheGpusOfThatNodeAlone_withAnEvent()
      throws Exception {
    addHamiNode();
    cluster.addNode(
        "X", Map.of("nvidia.com/gpu", "20"), Map.of("hami.io/node-nvidia-register", "[{\"id\":"));
    try (Berth berth = cluster.replica("one")) {
      create("p", Map.of("nvidia.com/gpu", "1"), Map.of());

      assertThat(annotationsOnceBound("p"))
          .containsEntry("hami.io/vgpu-node", BerthOnSandbox.nodeOf("H"));
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(events())
                      .anySatisfy(
                          event -> {
                            assertThat(event.getReason()).isEqualTo("UnreadableGpuCards");
                            assertThat(event.getRegarding().getName())
                                .isEqualTo(BerthOnSandbox.nodeOf("X"));
                            assertThat(event.getNote()).contains("hami.io/node-nvidia-register");
                          }));
      assertThat(berth.isLeading()).isTrue();
    }
  }

  @Test
  void aPodThatAsksForNonsense_getsAMessage_andTheNextIsBound() throws Exception {
    addGpuManagerNode(2);
    try (Berth berth = cluster.replica("one")) {
      create("odd", Map.of("tencent.com/vcuda-core", "150"), Map.of());
      create("memory", Map.of("tencent.com/vcuda-memory", "8"), Map.of());
      create("fine", HALF_BY_GPU_MANAGER, Map.of());

      annotationsOnceBound("fine");
      await().atMost(SOON).until(() -> cluster.isRejected("odd"));
      await().atMost(SOON).until(() -> cluster.isRejected("memory"));
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                assertThat(events())
                    .anyMatch(event -> event.getNote().contains("asks for 150 of tencent.com/"));
                assertThat(events())
                    .anyMatch(event -> event.getNote().contains("without tencent.com/vcuda-core"));
              });
      assertThat(berth.isLeading()).isTrue();
    }
  }

  @Test
  void aPodThatCameWithAnEarlierAssignment_isPlacedAgain_andGetsAMessage() throws Exception {
    addGpuManagerNode(2);
    try (Berth berth = cluster.replica("one")) {
      create(
          "copied",
          HALF_BY_GPU_MANAGER,
          Map.of("tencent.com/predicate-gpu-idx-0", "7", "tencent.com/gpu-assigned", "true"));

      assertThat(annotationsOnceBound("copied"))
          .containsEntry("tencent.com/predicate-gpu-idx-0", "0")
          .containsEntry("tencent.com/gpu-assigned", "false");
      await()
          .atMost(SOON)
          .until(
              () -> events().stream().anyMatch(e -> e.getReason().equals("EarlierGpuAssignment")));
      assertThat(berth.isLeading()).isTrue();
    }
  }

  /** The outage in which pods were scheduled twice because annotations were patched into them. */
  @Test
  void podsWhoseAnnotationsChangeWhileTheyAreScheduled_areScheduledOnce_withoutAFailure()
      throws Exception {
    addGpuManagerNode(8);
    int pods = 8;
    try (Berth berth = cluster.replica("one")) {
      for (int i = 0; i < pods; i++) {
        create("p" + i, Map.of("tencent.com/vcuda-core", "100"), Map.of());
        cluster.annotate("p" + i, Map.of("tencent.com/patched-by", "somebody"));
      }
      for (int i = 0; i < pods; i++) {
        annotationsOnceBound("p" + i);
        cluster.annotate("p" + i, Map.of("tencent.com/gpu-assigned", "true"));
      }
      create("last", HALF_BY_GPU_MANAGER, Map.of());
      await().atMost(SOON).until(() -> cluster.isRejected("last"));

      List<String> cards =
          IntStream.range(0, pods)
              .mapToObj(i -> annotationsOnceBound("p" + i).get("tencent.com/predicate-gpu-idx-0"))
              .toList();
      assertThat(cards).containsExactlyInAnyOrder("0", "1", "2", "3", "4", "5", "6", "7");
      assertThat(events())
          .filteredOn(event -> event.getReason().equals("FailedScheduling"))
          .allMatch(event -> event.getRegarding().getName().equals("last"));
      assertThat(berth.isLeading()).isTrue();
    }
  }

  @Test
  void aReplicaThatTakesOver_knowsTheCardsFromTheAnnotationsAlone() throws Exception {
    addGpuManagerNode(2);
    try (Berth first = cluster.replica("one")) {
      create("whole", Map.of("tencent.com/vcuda-core", "100"), Map.of());
      assertThat(annotationsOnceBound("whole"))
          .containsEntry("tencent.com/predicate-gpu-idx-0", "0");
      assertThat(first.isLeading()).isTrue();
    }
    // The cards that gpu-manager reports are authoritative.
    cluster.annotate(
        "whole",
        Map.of("tencent.com/predicate-gpu-idx-0", "1", "tencent.com/gpu-assigned", "true"));
    try (Berth second = cluster.replica("two")) {
      create("share", HALF_BY_GPU_MANAGER, Map.of());

      assertThat(annotationsOnceBound("share"))
          .containsEntry("tencent.com/predicate-gpu-idx-0", "0");
      assertThat(second.isLeading()).isTrue();
    }
  }
}

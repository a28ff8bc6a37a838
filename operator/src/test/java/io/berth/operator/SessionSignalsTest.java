package io.berth.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.framework.Change;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.Cure;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.PodShape;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.engine.state.ClusterState;
import io.berth.operator.api.HttpServiceCalls;
import io.berth.operator.api.ServiceFiles;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.Subscription;
import io.berth.operator.feed.WatchTimes;
import io.berth.operator.fixtures.ExpectedLog;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.DecisionLog;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.schedule.EngineFeed;
import io.berth.operator.schedule.EngineObserver;
import io.berth.operator.schedule.SchedulerSession;
import io.berth.operator.trace.PodTraces;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * The signals of waiting pods to autoscalers in states that need time or a failure: rows of the
 * table of docs/autoscaling.md that {@code AutoscalerSignalsTest} does not have. A scheduling
 * session works on a clock that the test moves.
 */
class SessionSignalsTest {
  private static final String ASKS_FOR_NODES = "Unschedulable";
  private static final Duration A_MINUTE = Duration.ofSeconds(61);
  private static final String HAMI_CARD =
      """
      [{"id":"GPU-a","count":10,"devmem":16384,"devcore":100,"type":"NVIDIA-T4","health":true}]
      """;

  private final RecordedCalls api = new RecordedCalls();
  private final MovedClock clock = new MovedClock();
  private final BerthMetrics metrics = new BerthMetrics(List.of("berth"));
  private KubernetesClient client;
  private ClusterFeed feed;
  private EngineFeed engineFeed;
  private SchedulerSession session;
  private Subscription subscription;
  private EventRecorder events;

  /** A filter with a bug. */
  private record Broken() implements FilterPlugin {
    @Override
    public String name() {
      return "Broken";
    }

    @Override
    public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
      throw new IllegalStateException("a bug, for a test");
    }

    @Override
    public Cure cureBy(Change change) {
      return Cure.none();
    }
  }

  @BeforeEach
  void start() {
    client = new KubernetesClientBuilder().build(); // sends nothing
    feed = new ClusterFeed(client, "berth-system", WatchTimes.defaults(), failure -> {});
    feed.allServed();
    engineFeed = new EngineFeed(feed::subscribe, feed::replay);
    events = new EventRecorder(api, subject -> "berth", "one", clock, () -> false, () -> {});
    session =
        new SessionSetup(
                api,
                () -> true,
                HttpServiceCalls.opener(new ServiceFiles(BerthOptions.EXTENDER_FILES)),
                feed,
                engineFeed,
                List.of("berth"),
                events,
                new DecisionLog(10, pod -> true, clock),
                metrics,
                PodTraces.OFF,
                () -> {},
                false,
                EngineObserver.NONE,
                LoggerFactory.getLogger(SchedulerSession.class),
                clock)
            .session();
    subscription = engineFeed.subscribe(session.loop());
    engineFeed.publish(new ClusterEvent.PolicyServed(policy()));
    engineFeed.publish(new ClusterEvent.DefaultPolicyChanged("usual"));
    session.loop().begin();
  }

  @AfterEach
  void stop() {
    subscription.close();
    session.abort();
    metrics.close();
    feed.close();
    client.close();
  }

  private static CompiledPolicy policy() {
    return switch (new PolicyCompiler().compile("usual", "1", SchedulingPolicySpec.defaults())) {
      case PolicyCompilation.Compiled compiled -> compiled.policy();
      case PolicyCompilation.Invalid invalid ->
          throw new IllegalStateException(invalid.problems().toString());
    };
  }

  /** Lets the session do all that it has to do until now. */
  private void work() {
    for (int turns = 0; turns < 20; turns++) {
      session.loop().turn();
    }
  }

  private void workAfter(Duration time) {
    clock.move(time);
    work();
  }

  private void assertSignal(String pod, String reason, String nominatedNode) {
    JsonNode status = api.statusOf(pod);
    assertThat(status.at("/conditions/0/type").asText()).isEqualTo("PodScheduled");
    assertThat(status.at("/conditions/0/status").asText()).isEqualTo("False");
    assertThat(status.at("/conditions/0/reason").asText()).isEqualTo(reason);
    JsonNode nominated = status.path("nominatedNodeName");
    assertThat(nominated.isTextual() ? nominated.asText() : "").isEqualTo(nominatedNode);
  }

  private static Node node(String name, Map<String, String> resources) {
    Map<String, Quantity> all = new HashMap<>();
    resources.forEach((resource, amount) -> all.put(resource, new Quantity(amount)));
    all.putAll(Map.of("cpu", new Quantity("4"), "pods", new Quantity("110")));
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .withUid("uid-" + name)
        .withResourceVersion("1")
        .endMetadata()
        .withNewSpec()
        .endSpec()
        .withNewStatus()
        .withAllocatable(all)
        .endStatus()
        .build();
  }

  private static Pod pod(String name, Map<String, String> requests) {
    Map<String, Quantity> amounts = new HashMap<>();
    requests.forEach((resource, amount) -> amounts.put(resource, new Quantity(amount)));
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("team")
        .withUid("uid-" + name)
        .withResourceVersion("1")
        .endMetadata()
        .withNewSpec()
        .withSchedulerName("berth")
        .addNewContainer()
        .withName("main")
        .withImage("main")
        .withNewResources()
        .withRequests(amounts)
        .withLimits(amounts)
        .endResources()
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus()
        .build();
  }

  private static Pod annotated(Pod pod, Map<String, String> annotations) {
    return new PodBuilder(pod).editMetadata().addToAnnotations(annotations).endMetadata().build();
  }

  /** Returns the pod as it runs on a node, to completion. */
  private static Pod on(String nodeName, Pod pod) {
    return new PodBuilder(pod)
        .editSpec()
        .withNodeName(nodeName)
        .withRestartPolicy("Never")
        .endSpec()
        .build();
  }

  @Test
  @ExpectedLog("The attempt to place pod team/cursed failed and was rolled back")
  void podWhoseAttemptFails_asksForNoNodes() {
    CompiledPolicy usual = policy();
    engineFeed.publish(
        new ClusterEvent.PolicyServed(
            new CompiledPolicy(
                usual.name(),
                "2",
                List.of(new Broken()),
                usual.scores(),
                usual.preemption(),
                usual.percentageOfNodesToScore(),
                usual.checkAllFilters(),
                usual.namespaces(),
                usual.consultation(),
                usual.cards(),
                usual.shadow(),
                Optional.empty())));
    feed.put(node("n1", Map.of()));
    feed.put(pod("cursed", Map.of("cpu", "1")));
    work();

    assertSignal("cursed", "SchedulerError", "");
  }

  @Test
  void podWhoseBindingFails_asksForNoNodes() {
    api.answerBindings(403);
    feed.put(node("n1", Map.of()));
    feed.put(pod("refused", Map.of("cpu", "1")));
    work();

    assertSignal("refused", "SchedulerError", "");
    assertThat(api.statusOf("refused").at("/conditions/0/message").asText())
        .contains("as the test demands");
  }

  private static Pod withClaim(Pod pod, String claim) {
    return new PodBuilder(pod)
        .editSpec()
        .addNewVolume()
        .withName("data")
        .withNewPersistentVolumeClaim(claim, false)
        .endVolume()
        .endSpec()
        .build();
  }

  private PersistentVolumeClaim claimToProvision() {
    feed.put(
        new StorageClassBuilder()
            .withNewMetadata()
            .withName("disks")
            .withResourceVersion("1")
            .endMetadata()
            .withProvisioner("example.com/disks")
            .withVolumeBindingMode("WaitForFirstConsumer")
            .build());
    PersistentVolumeClaim claim =
        new PersistentVolumeClaimBuilder()
            .withNewMetadata()
            .withName("data")
            .withNamespace("team")
            .withUid("uid-data")
            .withResourceVersion("1")
            .endMetadata()
            .withNewSpec()
            .withStorageClassName("disks")
            .withAccessModes("ReadWriteOnce")
            .withNewResources()
            .addToRequests("storage", new Quantity("1Gi"))
            .endResources()
            .endSpec()
            .withNewStatus()
            .withPhase("Pending")
            .endStatus()
            .build();
    feed.put(claim);
    return claim;
  }

  @Test
  void podWhoseVolumeIsPrepared_isNominated_andNotAnyMoreOnceThatHasFailed() {
    PersistentVolumeClaim claim = claimToProvision();
    feed.put(node("n1", Map.of()));
    feed.put(withClaim(pod("stateful", Map.of("cpu", "1")), "data"));
    feed.put(pod("plain", Map.of("cpu", "1")));
    work();
    assertThat(api.statusOf("stateful").path("nominatedNodeName").asText()).isEqualTo("n1");
    assertThat(api.statusOf("stateful").path("conditions").isMissingNode()).isTrue();
    assertThat(api.statusOf("plain").isMissingNode()).as("a plain pod: no request").isTrue();

    feed.remove(claim);
    api.runLater();

    assertSignal("stateful", "SchedulerError", "");
  }

  @Test
  void podWithoutRoom_thatGetsAPlaceAndWaitsForItsVolume_asksForNodesNoMore() {
    claimToProvision();
    Pod running = on("n1", pod("running", Map.of("cpu", "4")));
    feed.put(node("n1", Map.of()));
    feed.put(running);
    feed.put(withClaim(pod("stateful", Map.of("cpu", "2")), "data"));
    work();
    assertSignal("stateful", ASKS_FOR_NODES, "");

    feed.remove(running);
    workAfter(A_MINUTE);

    assertSignal("stateful", ASKS_FOR_NODES, "n1");
  }

  @Test
  void podsOfAGroupForWhichRoomIsReserved_areNominated() {
    Map<String, String> member =
        Map.of("sched.cloud.ctrip.com/group", "train", "sched.cloud.ctrip.com/group-min", "2");
    feed.put(node("n1", Map.of()));
    feed.put(node("n2", Map.of()));
    feed.put(on("n1", pod("first", Map.of("cpu", "4"))));
    feed.put(on("n2", pod("second", Map.of("cpu", "4"))));
    feed.put(annotated(pod("left", Map.of("cpu", "4")), member));
    feed.put(annotated(pod("right", Map.of("cpu", "4")), member));
    work();
    workAfter(Duration.ofSeconds(3));
    assertSignal("left", ASKS_FOR_NODES, "");
    assertSignal("right", ASKS_FOR_NODES, "");

    workAfter(A_MINUTE);

    assertSignal("left", ASKS_FOR_NODES, "n1");
    assertSignal("right", ASKS_FOR_NODES, "n2");
  }

  @Test
  void podThatWaitsForABusyGpuAgent_asksForNodesAfterAMinute() {
    feed.put(
        new NodeBuilder(node("n1", Map.of("nvidia.com/gpu", "10")))
            .editMetadata()
            .addToAnnotations("hami.io/node-nvidia-register", HAMI_CARD)
            .endMetadata()
            .build());
    Map<String, String> share = Map.of("nvidia.com/gpu", "1", "nvidia.com/gpumem", "4000");
    feed.put(
        on(
            "n1",
            annotated(
                pod("served", share),
                Map.of(
                    "hami.io/vgpu-node", "n1",
                    "hami.io/vgpu-devices-to-allocate", "GPU-a,NVIDIA,4000,0:;",
                    "hami.io/vgpu-devices-allocated", "GPU-a,NVIDIA,4000,0:;",
                    "hami.io/bind-phase", "allocating"))));
    feed.put(pod("next", share));
    work();
    workAfter(Duration.ofSeconds(50));
    assertThat(api.statusOf("next").isMissingNode()).isTrue();

    workAfter(Duration.ofSeconds(20));

    assertSignal("next", ASKS_FOR_NODES, "");
    assertThat(api.statusOf("next").at("/conditions/0/message").asText())
        .contains("had a GPU agent that must first serve another pod");
  }
}

package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.CardChoice;
import io.berth.crds.policy.GpuPlacement;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.cards.CardRules;
import io.berth.engine.cards.WorkloadShape;
import io.berth.engine.devices.ClaimAllocation;
import io.berth.engine.devices.ClaimSpec;
import io.berth.engine.devices.CounterSet;
import io.berth.engine.devices.Device;
import io.berth.engine.devices.DeviceAllocation;
import io.berth.engine.devices.DeviceAsk;
import io.berth.engine.devices.DeviceAttribute;
import io.berth.engine.devices.DeviceCapacity;
import io.berth.engine.devices.DeviceClaim;
import io.berth.engine.devices.DeviceClass;
import io.berth.engine.devices.DeviceConstraint;
import io.berth.engine.devices.DeviceId;
import io.berth.engine.devices.DeviceRequest;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.fixtures.Slices;
import io.berth.engine.model.DeviceObject;
import io.berth.engine.model.PodClaim;
import io.berth.engine.model.PodDevices;
import io.berth.engine.model.PodModel;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The devices that claims get if the pod's policy has rules for cards, beside those that they get
 * without: the first that fit, as in kube-scheduler.
 */
class DevicesByPolicyTest {
  private static final String DRIVER = "gpu.example.com";
  private static final String SHARE = DRIVER + "/share";

  /** A policy without rules for cards. */
  private static final String PLAIN = "plain";

  private final TestCluster cluster = new TestCluster();

  @BeforeEach
  void serve() {
    for (CardChoice choice : CardChoice.values()) {
      serve(
          choice.name(),
          SchedulingPolicySpec.defaults().withGpu(new GpuPlacement(choice, List.of())));
    }
    serve(PLAIN, SchedulingPolicySpec.defaults());
    put(
        new DeviceClass(
            "gpu",
            Instant.EPOCH,
            List.of("device.driver == '%s'".formatted(DRIVER)),
            List.of(),
            Optional.empty()));
  }

  private void serve(String name, SchedulingPolicySpec spec) {
    cluster.apply(new ClusterEvent.PolicyServed(TestCluster.policy(name, spec)));
  }

  private void put(DeviceObject object) {
    assertThat(cluster.apply(new ClusterEvent.DevicesUpserted(object))).isEmpty();
  }

  /** Adds a node with these devices. */
  private void node(String name, List<CounterSet> counters, Device... devices) {
    cluster.apply(
        new ClusterEvent.NodeUpserted(
            Nodes.node(name).milliCpu(64_000).memoryBytes(1L << 38).build()));
    int slices = counters.isEmpty() ? 1 : 2;
    if (slices == 2) {
      put(Slices.ofNode(DRIVER, name, "counters", slices, List.of(), counters));
    }
    put(Slices.ofNode(DRIVER, name, "devices", slices, Arrays.asList(devices), List.of()));
  }

  private static Device shared(String name) {
    return Device.of(
        name,
        Map.of(),
        Map.of(SHARE, new DeviceCapacity(BigDecimal.valueOf(1_000), Optional.empty())),
        List.of(),
        true);
  }

  private static Device linked(String name, int group) {
    return Device.of(
        name,
        Map.of(DRIVER + "/nvlinkGroup", new DeviceAttribute.Int(group)),
        Map.of(),
        List.of(),
        false);
  }

  private static Map<String, BigDecimal> memorySlices(int from, int to) {
    Map<String, BigDecimal> slices = new HashMap<>();
    for (int i = from; i < to; i++) {
      slices.put("memory-slice-" + i, BigDecimal.ONE);
    }
    return slices;
  }

  private static Device partition(String name, String profile, int from, int to) {
    return Device.of(
        name,
        Map.of(DRIVER + "/profile", new DeviceAttribute.Text(profile)),
        Map.of(),
        List.of(new CounterSet("gpu-0", memorySlices(from, to))),
        false);
  }

  private static ClaimSpec spec(
      int count,
      Map<String, BigDecimal> capacity,
      List<String> selectors,
      List<DeviceConstraint> constraints) {
    DeviceAsk ask =
        new DeviceAsk(
            "gpus", "gpu", DeviceAsk.EXACT_COUNT, count, false, selectors, List.of(), capacity);
    return new ClaimSpec(
        List.of(new DeviceRequest("gpus", false, List.of(ask))), constraints, List.of());
  }

  private static ClaimSpec devices(int count) {
    return spec(count, Map.of(), List.of(), List.of());
  }

  private static ClaimSpec share(int thousandths) {
    return spec(1, Map.of(SHARE, BigDecimal.valueOf(thousandths)), List.of(), List.of());
  }

  private static ClaimSpec profile(String name) {
    return spec(
        1,
        Map.of(),
        List.of("device.attributes['%s'].profile == '%s'".formatted(DRIVER, name)),
        List.of());
  }

  private static DeviceClaim claim(
      String name, ClaimSpec spec, Optional<DeviceAllocation> allocation) {
    return new DeviceClaim(
        "default",
        name,
        "uid-" + name,
        false,
        "",
        false,
        spec,
        allocation,
        Optional.empty(),
        DeviceClaim.Readiness.READY,
        Set.of());
  }

  /** Lets a claim have devices of a node, of shared ones this share. */
  private void hold(String node, ClaimSpec spec, String device, int thousandths) {
    DeviceAllocation.Result result =
        new DeviceAllocation.Result(
            "gpus",
            new DeviceId(DRIVER, node, device),
            false,
            List.of(),
            thousandths == 0 ? Optional.empty() : Optional.of("share-of-" + device),
            thousandths == 0 ? Map.of() : Map.of(SHARE, BigDecimal.valueOf(thousandths)),
            List.of(),
            List.of());
    put(
        claim(
            "held-" + node + "-" + device,
            spec,
            Optional.of(new DeviceAllocation(List.of(result), List.of(), Optional.empty()))));
  }

  private PodModel pod(String name, String policy, ClaimSpec spec) {
    put(claim(name + "-gpus", spec, Optional.empty()));
    return Pods.pod(name)
        .policy(policy)
        .milliCpu(100)
        .devices(new PodDevices(List.of(new PodClaim.Named(name + "-gpus")), List.of()))
        .build();
  }

  private Decision.Placed place(String policy, ClaimSpec spec) {
    cluster.apply(new ClusterEvent.PodUpserted(pod("new", policy, spec)));
    return cluster.placed();
  }

  /** Returns the names of the devices that a pod of this policy gets. */
  private List<String> chosen(String policy, ClaimSpec spec) {
    List<String> names = new ArrayList<>();
    for (var step : place(policy, spec).preBind()) {
      ((ClaimAllocation) step)
          .allocation()
          .orElseThrow()
          .results()
          .forEach(result -> names.add(result.device().device()));
    }
    return names;
  }

  private void twoSharedCards() {
    node("n1", List.of(), shared("g0"), shared("g1"));
    hold("n1", share(500), "g1", 500);
  }

  @ParameterizedTest
  @EnumSource(
      value = CardChoice.class,
      names = {"LEAST_FRAGMENTATION", "BEST_FIT", "TOPOLOGY"})
  void shareOfACard_isTakenFromOneThatIsInUse(CardChoice choice) {
    twoSharedCards();

    assertThat(chosen(choice.name(), share(250))).containsExactly("g1");
  }

  @ParameterizedTest
  @EnumSource(
      value = CardChoice.class,
      names = {"LEAST_FRAGMENTATION", "BEST_FIT"})
  void shareThatDoesNotFitBesideOthers_isTakenFromAnotherCard(CardChoice choice) {
    twoSharedCards();

    assertThat(chosen(choice.name(), share(600))).containsExactly("g0");
  }

  @Test
  void shareOfACard_isTakenFromTheFirst_withoutRules() {
    twoSharedCards();

    assertThat(chosen(PLAIN, share(300))).containsExactly("g0");
  }

  @Test
  void shareOfACard_isTakenFromTheEmptiest_toSpread() {
    node("n1", List.of(), shared("g0"), shared("g1"));
    hold("n1", share(500), "g0", 500);

    assertThat(chosen(CardChoice.SPREAD.name(), share(300))).containsExactly("g1");
  }

  private void twoLinkedPairs() {
    node("n1", List.of(), linked("g0", 0), linked("g1", 0), linked("g2", 1), linked("g3", 1));
  }

  @Test
  void singleDevice_isTheFirst_withoutRules() {
    twoLinkedPairs();
    hold("n1", devices(1), "g3", 0);

    assertThat(chosen(PLAIN, devices(1))).containsExactly("g0");
  }

  @Test
  void singleDevice_isTakenFromAGroupThatIsPartlyUsed() {
    twoLinkedPairs();
    hold("n1", devices(1), "g3", 0);

    assertThat(chosen(CardChoice.LEAST_FRAGMENTATION.name(), devices(1))).containsExactly("g2");
  }

  @Test
  void pairOfDevices_isTakenFromOneGroup() {
    twoLinkedPairs();
    hold("n1", devices(1), "g0", 0);

    assertThat(chosen(CardChoice.LEAST_FRAGMENTATION.name(), devices(2)))
        .containsExactly("g2", "g3");
  }

  @Test
  void pairOfDevices_consistsOfTheFirst_withoutRules() {
    twoLinkedPairs();
    hold("n1", devices(1), "g0", 0);

    assertThat(chosen(PLAIN, devices(2))).containsExactly("g1", "g2");
  }

  @Test
  void constraints_holdWhateverThePolicyPrefers() {
    twoLinkedPairs();
    DeviceConstraint distinct =
        new DeviceConstraint(List.of(), DeviceConstraint.Kind.DISTINCT, DRIVER + "/nvlinkGroup");

    assertThat(chosen(CardChoice.TOPOLOGY.name(), spec(2, Map.of(), List.of(), List.of(distinct))))
        .containsExactly("g0", "g2");
  }

  /** A card of four memory slices; a quarter of it is in use at its beginning. */
  private void partitionedCard() {
    node(
        "n1",
        List.of(new CounterSet("gpu-0", memorySlices(0, 4))),
        partition("quarter-2", "quarter", 2, 3),
        partition("quarter-3", "quarter", 3, 4),
        partition("quarter-0", "quarter", 0, 1),
        partition("quarter-1", "quarter", 1, 2),
        partition("half-0", "half", 0, 2),
        partition("half-2", "half", 2, 4),
        partition("whole", "whole", 0, 4));
    hold("n1", profile("quarter"), "quarter-0", 0);
  }

  @ParameterizedTest
  @EnumSource(CardChoice.class)
  void partition_leavesRoomForALargerOne(CardChoice choice) {
    partitionedCard();

    assertThat(chosen(choice.name(), profile("quarter"))).containsExactly("quarter-1");
  }

  @Test
  void partition_isTheFirstThatFits_withoutRules() {
    partitionedCard();

    assertThat(chosen(PLAIN, profile("quarter"))).containsExactly("quarter-2");
  }

  @Test
  void node_isTheOneWhoseCardsLoseLeast() {
    node("n1", List.of(), shared("g0"));
    node("n2", List.of(), shared("g0"));
    node("n3", List.of(), shared("g0"));
    hold("n2", share(500), "g0", 500);

    assertThat(place(CardChoice.LEAST_FRAGMENTATION.name(), share(500)).nodeName()).isEqualTo("n2");
  }

  @Test
  void podWithoutGpu_avoidsNodesWithFreeDevices() {
    node("n1", List.of(), shared("g0"));
    node("n2", List.of(), shared("g0"));
    hold("n2", share(1_000), "g0", 1_000);
    cluster.apply(
        new ClusterEvent.PodUpserted(
            Pods.pod("cpu").policy(CardChoice.LEAST_FRAGMENTATION.name()).milliCpu(100).build()));

    assertThat(cluster.placed().nodeName()).isEqualTo("n2");
  }

  private List<WorkloadShape> mix() {
    cluster.engine.state().cards().worth(CardRules.defaults());
    return cluster.engine.state().cards().mix().target().shapes();
  }

  @Test
  void podsWithClaims_countInTheTargetWorkload_asThoseWithCards() {
    node(
        "n1",
        List.of(),
        shared("g0"),
        Device.of(
            "other",
            Map.of(DRIVER + "/model", new DeviceAttribute.Text("other")),
            Map.of(),
            List.of(),
            false));
    assertThat(mix()).isEmpty();
    String policy = CardChoice.LEAST_FRAGMENTATION.name();
    ClaimSpec other =
        spec(
            3,
            Map.of(),
            List.of(
                "device.allowMultipleAllocations == false"
                    + " && device.attributes['%s'].model == 'other'".formatted(DRIVER)),
            List.of());

    cluster.apply(new ClusterEvent.PodUpserted(pod("shares", policy, share(250))));
    assertThat(mix())
        .extracting(WorkloadShape::cards, WorkloadShape::milliGpu)
        .containsExactly(tuple(1, 250));

    cluster.apply(new ClusterEvent.PodRemoved(Pods.pod("shares").build().ref()));
    PodModel late = pod("late", policy, other);
    cluster.apply(new ClusterEvent.DevicesRemoved(DeviceClaim.KIND, "default", "late-gpus"));
    cluster.apply(new ClusterEvent.PodUpserted(late));
    assertThat(mix())
        .as("before the claim exists")
        .extracting(WorkloadShape::cards)
        .containsExactly(0);

    put(claim("late-gpus", other, Optional.empty()));
    assertThat(mix())
        .extracting(WorkloadShape::cards, WorkloadShape::milliGpu, WorkloadShape::models)
        .containsExactly(tuple(3, 1_000, Set.of("other")));
  }
}

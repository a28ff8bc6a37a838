package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.CardChoice;
import io.berth.crds.policy.GpuPlacement;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Outcome;
import io.berth.engine.api.WaitCause;
import io.berth.engine.devices.ClaimAllocation;
import io.berth.engine.devices.ClaimSpec;
import io.berth.engine.devices.Device;
import io.berth.engine.devices.DeviceAllocation;
import io.berth.engine.devices.DeviceAsk;
import io.berth.engine.devices.DeviceAttribute;
import io.berth.engine.devices.DeviceClaim;
import io.berth.engine.devices.DeviceClass;
import io.berth.engine.devices.DeviceConstraint;
import io.berth.engine.devices.DeviceId;
import io.berth.engine.devices.DeviceReach;
import io.berth.engine.devices.DeviceRequest;
import io.berth.engine.devices.DeviceSlice;
import io.berth.engine.devices.DeviceTaint;
import io.berth.engine.devices.TaintRule;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.DeviceObject;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodClaim;
import io.berth.engine.model.PodDevices;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.ResourceAmounts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Equivalence of an engine with any history of devices and claims and a new engine with the same
 * cluster, also while allocations are in flight. No two claims ever get one device, and none gets a
 * device of a node where pods use those that a device plugin counts.
 */
class DevicesEqualRebuiltTest {
  private static final int STEPS = 150;
  private static final String GPUS = "gpu.deviceclass.resource.k8s.io/devices";
  private static final String DRIVER = "gpu.example.com";

  /** The resource that the class serves, and that device plugins count on some nodes. */
  private static final String RESOURCE = "example.com/gpu";

  /** The resource of the class {@code gpu}, which no device plugin counts. */
  private static final String SERVED = DeviceClass.RESOURCE_PREFIX + "gpu";

  private static final Set<String> COUNTING_NODES = Set.of("n1", "n2");

  private final Map<String, NodeModel> nodes = new TreeMap<>();
  private final Map<String, DeviceObject> objects = new TreeMap<>();
  private final Map<String, PodModel> bound = new TreeMap<>();

  /** The pods whose Bindings are in flight, with their decisions, in the order of these. */
  private final Map<String, Decision.Placed> inFlight = new LinkedHashMap<>();

  private final Map<String, PodModel> pods = new TreeMap<>();

  /** The pods that were deleted while their Bindings were in flight. */
  private final Map<String, PodModel> goneInFlight = new TreeMap<>();

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final Engine living = engine();
  private final List<QueueModel> queues = new ArrayList<>();
  private SchedulingPolicySpec policySpec = SchedulingPolicySpec.defaults();
  private int number;
  private int evictions;
  private int held;

  private static Engine engine() {
    return new Engine(
        EngineOptions.defaults()
            .withTieOrder(EngineOptions.TieOrder.BY_NAME)
            .recordingEverything());
  }

  private ClusterEvent policy() {
    return new ClusterEvent.PolicyServed(TestCluster.policy("default", policySpec));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void anySequenceOfEvents_leavesAnEngineThatAllocatesAsOneRebuilt(int seed) {
    Random random = new Random(seed);
    apply(policy());
    for (int i = 0; i < 5; i++) {
      putNode(random, i);
      put(slice(random, i));
    }
    put(deviceClass("gpu", random));
    for (int step = 0; step < STEPS; step++) {
      change(random);
      decide(random, "seed " + seed + ", step " + step);
      assertNoDeviceTwice("seed " + seed + ", step " + step);
    }
    if (seed == 1) {
      assertThat(evictions).as("pods that were evicted for their devices").isPositive();
    }
    List.copyOf(pods.values()).forEach(pod -> apply(new ClusterEvent.PodRemoved(pod.ref())));
    inFlight
        .values()
        .forEach(placed -> apply(new ClusterEvent.BindingFailed(placed.pod(), "gone", false)));
    List.copyOf(objects.values()).forEach(this::remove);
    List.copyOf(nodes.keySet()).forEach(name -> apply(new ClusterEvent.NodeRemoved(name)));
    apply(new ClusterEvent.PolicyRemoved("default"));
    assertThat(living.state().specs()).as("specs that are left").isZero();
    assertThat(living.state().answers().size()).as("answers that are left").isZero();
    assertThat(living.state().devices().isEmpty()).as("no object is left").isTrue();
    assertThat(living.state().devices().assumptions()).as("assumptions that are left").isZero();
    assertThat(living.state().devices().devices()).as("devices that are left").isZero();
  }

  /** Queues count the devices of claims, also while claims change under pods that use them. */
  @ParameterizedTest
  @ValueSource(ints = {21, 22, 23, 24, 25, 26, 27, 28})
  void devicesInQueues_countTheSameInAnEngineThatIsRebuilt(int seed) {
    for (String name : List.of("team", "other")) {
      queues.add(
          new QueueModel(
              name,
              "",
              ResourceAmounts.of(Map.of(GPUS, (long) seed % 3)),
              ResourceAmounts.of(Map.of(GPUS, 4L + seed % 4)),
              1,
              0,
              Duration.ZERO,
              Set.of(name),
              LabelSelector.nothing()));
    }
    queues.forEach(queue -> apply(new ClusterEvent.QueueUpserted(queue)));
    anySequenceOfEvents_leavesAnEngineThatAllocatesAsOneRebuilt(seed);
    assertThat(held).as("pods that were held by their queue").isPositive();
  }

  /** Rules for cards rank nodes and devices by nothing but the present pods and devices. */
  @ParameterizedTest
  @CsvSource({
    "31, LEAST_FRAGMENTATION",
    "32, LEAST_FRAGMENTATION",
    "33, LEAST_FRAGMENTATION",
    "34, LEAST_FRAGMENTATION",
    "35, BEST_FIT",
    "36, SPREAD",
    "37, TOPOLOGY",
    "38, TOPOLOGY"
  })
  void devicesChosenByAPolicy_areThoseOfAnEngineThatIsRebuilt(int seed, CardChoice choice) {
    policySpec = SchedulingPolicySpec.defaults().withGpu(new GpuPlacement(choice, List.of()));
    anySequenceOfEvents_leavesAnEngineThatAllocatesAsOneRebuilt(seed);
  }

  private void apply(ClusterEvent event) {
    now = now.plusMillis(10);
    assertThat(living.apply(event, now)).isEmpty();
  }

  private void putNode(Random random, int i) {
    Nodes built =
        Nodes.node("n" + i).label("zone", random.nextBoolean() ? "a" : "b").milliCpu(8_000);
    NodeModel node =
        (COUNTING_NODES.contains("n" + i) ? built.allocatable(RESOURCE, 4) : built).build();
    nodes.put(node.name(), node);
    apply(new ClusterEvent.NodeUpserted(node));
  }

  private static String key(DeviceObject object) {
    return object.kind() + "/" + object.name();
  }

  private void put(DeviceObject object) {
    objects.put(key(object), object);
    apply(new ClusterEvent.DevicesUpserted(object));
  }

  private void remove(DeviceObject object) {
    objects.remove(key(object));
    apply(new ClusterEvent.DevicesRemoved(object.kind(), object.namespace(), object.name()));
  }

  private static DeviceSlice slice(Random random, int i) {
    List<Device> devices = new ArrayList<>();
    for (int device = 0; device < 2 + random.nextInt(4); device++) {
      devices.add(
          Device.of(
              "d" + device,
              Map.of("group", new DeviceAttribute.Int(device / 2)),
              Map.of(),
              List.of(),
              random.nextInt(6) == 0));
    }
    DeviceReach reach = i == 4 ? new DeviceReach.AllNodes() : new DeviceReach.OneNode("n" + i);
    return new DeviceSlice(
        "s" + i, DRIVER, "p" + i, random.nextInt(2), 1, false, reach, devices, List.of());
  }

  private static DeviceClass deviceClass(String name, Random random) {
    return new DeviceClass(
        name,
        Instant.EPOCH,
        List.of(random.nextBoolean() ? "device.driver == '" + DRIVER + "'" : "true"),
        List.of(),
        Optional.of(RESOURCE));
  }

  private static ClaimSpec spec(Random random) {
    DeviceAsk ask =
        new DeviceAsk(
            "r",
            random.nextInt(10) == 0 ? "absent" : "gpu",
            random.nextInt(8) == 0 ? DeviceAsk.ALL : DeviceAsk.EXACT_COUNT,
            1 + random.nextInt(2),
            false,
            List.of(),
            List.of(),
            Map.of());
    DeviceAsk less =
        new DeviceAsk(
            "one", "gpu", DeviceAsk.EXACT_COUNT, 1, false, List.of(), List.of(), Map.of());
    boolean prioritized = random.nextInt(3) == 0;
    return new ClaimSpec(
        List.of(
            new DeviceRequest("r", prioritized, prioritized ? List.of(ask, less) : List.of(ask))),
        random.nextInt(3) == 0
            ? List.of(
                new DeviceConstraint(List.of(), DeviceConstraint.Kind.MATCH, DRIVER + "/group"))
            : List.of(),
        List.of());
  }

  private static DeviceClaim claim(String name, String owner, ClaimSpec spec) {
    return new DeviceClaim(
        "team",
        name,
        "uid-" + name,
        false,
        owner,
        false,
        spec,
        Optional.empty(),
        Optional.empty(),
        DeviceClaim.Readiness.READY,
        Set.of());
  }

  private static DeviceClaim with(
      DeviceClaim claim, Optional<DeviceAllocation> allocation, Set<String> reservedFor) {
    return new DeviceClaim(
        claim.namespace(),
        claim.name(),
        claim.uid(),
        claim.deleting(),
        claim.controllerUid(),
        claim.extended(),
        claim.spec(),
        allocation,
        claim.allocatedAt(),
        claim.readiness(),
        reservedFor);
  }

  private void change(Random random) {
    switch (random.nextInt(11)) {
      case 0 -> putNode(random, random.nextInt(5));
      case 1 -> put(slice(random, random.nextInt(6)));
      case 2 -> {
        DeviceObject slice = objects.get("ResourceSlice/s" + random.nextInt(6));
        if (slice != null) {
          remove(slice);
        }
      }
      case 3 -> put(deviceClass("gpu", random));
      case 4 -> put(claim("shared" + random.nextInt(3), "", spec(random)));
      case 5, 6 -> {
        if (!bound.isEmpty()) {
          delete(List.copyOf(bound.values()).get(random.nextInt(bound.size())));
        }
      }
      case 7 -> {
        if (nodes.remove("n0") != null) {
          apply(new ClusterEvent.NodeRemoved("n0"));
        } else {
          putNode(random, 0);
        }
      }
      case 8 -> changeRule(random, "r" + random.nextInt(2));
      case 9 -> deleteInFlight(random);
      default -> finishOne(random);
    }
  }

  private void changeRule(Random random, String name) {
    DeviceObject rule = objects.get(TaintRule.KIND + "/" + name);
    if (rule != null) {
      remove(rule);
    } else {
      Optional<String> pool = Optional.of("p" + random.nextInt(6));
      Optional<String> device = Optional.of("d" + random.nextInt(3));
      put(
          new TaintRule(
              name,
              true,
              Optional.of(DRIVER),
              pool.filter(all -> random.nextInt(4) > 0),
              device.filter(all -> random.nextInt(3) > 0),
              new DeviceTaint("broken", "", random.nextBoolean() ? "NoSchedule" : "None")));
    }
  }

  private void delete(PodModel running) {
    bound.remove(running.ref().uid());
    pods.remove(running.ref().uid());
    apply(new ClusterEvent.PodRemoved(running.ref()));
    release(running);
  }

  /** Deletes a pod whose Binding is in flight, and perhaps its claims before that has ended. */
  private void deleteInFlight(Random random) {
    List<PodModel> candidates =
        inFlight.keySet().stream().filter(pods::containsKey).map(pods::get).toList();
    if (!candidates.isEmpty()) {
      PodModel pod = candidates.get(random.nextInt(candidates.size()));
      pods.remove(pod.ref().uid());
      goneInFlight.put(pod.ref().uid(), pod);
      apply(new ClusterEvent.PodRemoved(pod.ref()));
      if (random.nextBoolean()) {
        release(pod);
      }
    }
  }

  /** Deletes or releases the claims of a pod that is gone, as the claim controller does. */
  private void release(PodModel pod) {
    for (DeviceObject object : List.copyOf(objects.values())) {
      if (object instanceof DeviceClaim claim && claim.controllerUid().equals(pod.ref().uid())) {
        remove(claim);
      } else if (object instanceof DeviceClaim claim
          && claim.reservedFor().contains(pod.ref().uid())) {
        Set<String> others = new HashSet<>(claim.reservedFor());
        others.remove(pod.ref().uid());
        put(with(claim, others.isEmpty() ? Optional.empty() : claim.allocation(), others));
      }
    }
  }

  private static final List<PodDevices.ContainerResources> COUNTING =
      List.of(
          new PodDevices.ContainerResources(
              false, new TreeMap<>(Map.of(RESOURCE, 1L)), new TreeMap<>(Map.of(RESOURCE, 0))));

  /** The same resource, and one by which another class serves the same devices. */
  private static final List<PodDevices.ContainerResources> COUNTING_AND_SERVED =
      List.of(
          new PodDevices.ContainerResources(
              false,
              new TreeMap<>(Map.of(RESOURCE, 1L, SERVED, 1L)),
              new TreeMap<>(Map.of(RESOURCE, 1, SERVED, 0))));

  /** A resource that no device plugin counts. */
  private static final List<PodDevices.ContainerResources> SERVED_ONLY =
      List.of(
          new PodDevices.ContainerResources(
              false, new TreeMap<>(Map.of(SERVED, 1L)), new TreeMap<>(Map.of(SERVED, 0))));

  /** Checks that the node of a new decision serves only pods of one kind. */
  private void assertOneSource(Decision.Placed placed, boolean counts, String when) {
    String node = placed.nodeName();
    if (!COUNTING_NODES.contains(node)) {
      return;
    }
    String pool = node.replace('n', 'p');
    boolean takes = placed.preBind().stream().anyMatch(step -> takesFrom(pool, step));
    if (counts) {
      assertThat(takes).as("a counted device and one by claim: " + when).isFalse();
      assertThat(isAnyPublishedDeviceTaken(pool)).as("counted beside claims: " + when).isFalse();
    }
    if (takes) {
      assertThat(isCountedOn(node)).as("a claim beside counted ones: " + when).isFalse();
    }
  }

  private static boolean takesFrom(String pool, Object step) {
    return results(step).anyMatch(result -> result.device().pool().equals(pool));
  }

  private static Stream<DeviceAllocation.Result> results(Object step) {
    return ((ClaimAllocation) step)
        .allocation().stream().flatMap(allocation -> allocation.results().stream());
  }

  private boolean isAnyPublishedDeviceTaken(String pool) {
    Set<DeviceId> published = new HashSet<>();
    if (objects.get("ResourceSlice/" + pool.replace('p', 's')) instanceof DeviceSlice slice) {
      slice.devices().forEach(device -> published.add(new DeviceId(DRIVER, pool, device.name())));
    }
    return Stream.concat(
            objects.values().stream()
                .filter(DeviceClaim.class::isInstance)
                .flatMap(object -> ((DeviceClaim) object).allocation().stream())
                .flatMap(allocation -> allocation.results().stream()),
            inFlight.values().stream()
                .flatMap(other -> other.preBind().stream())
                .map(ClaimAllocation.class::cast)
                .filter(this::mayShowDevicesLater)
                .flatMap(DevicesEqualRebuiltTest::results))
        .anyMatch(result -> published.contains(result.device()));
  }

  private boolean isCountedOn(String node) {
    return bound.values().stream()
            .anyMatch(
                pod ->
                    pod.nodeName().equals(node)
                        && asks(pod.spec().devices().containers(), RESOURCE))
        || inFlight.values().stream()
            .anyMatch(
                other ->
                    other.nodeName().equals(node)
                        && pods.containsKey(other.pod().uid())
                        && asks(
                            pods.get(other.pod().uid()).spec().devices().containers(), RESOURCE));
  }

  private static boolean asks(List<PodDevices.ContainerResources> containers, String resource) {
    return containers.stream().anyMatch(container -> container.amounts().containsKey(resource));
  }

  private void decide(Random random, String when) {
    String name = "pod" + number++;
    PodRef ref = new PodRef("team", name, "uid-" + name);
    List<PodClaim> claims = new ArrayList<>();
    boolean counts = random.nextInt(4) == 0;
    boolean served = number % 3 == 0;
    List<PodDevices.ContainerResources> resources =
        counts ? (served ? COUNTING_AND_SERVED : COUNTING) : (served ? SERVED_ONLY : List.of());
    int wanted = counts ? random.nextInt(6) / 5 : 1 + random.nextInt(2);
    for (int i = 0; i < wanted; i++) {
      if (random.nextInt(4) == 0) {
        claims.add(new PodClaim.Named("shared" + random.nextInt(3)));
      } else {
        DeviceClaim own = claim(name + "-" + i, ref.uid(), spec(random));
        put(own);
        claims.add(new PodClaim.FromTemplate(own.name(), ref));
      }
    }
    Pods built =
        Pods.pod(name)
            .namespace("team")
            .policy("default")
            .priority(10 * random.nextInt(3))
            .devices(new PodDevices(claims, resources));
    built = counts ? built.asks(RESOURCE, 1) : built;
    PodModel pod = (served ? built.asks(SERVED, 1) : built).build();
    pods.put(ref.uid(), pod);
    apply(new ClusterEvent.PodUpserted(pod));
    Outcome outcome = living.next(now);
    assertThat(outcome).as(when).isInstanceOf(Decision.class);
    Decision actual = (Decision) outcome;
    assertThat(actual.pod()).as(when).isEqualTo(ref);
    Decision expected = rebuilt(pod);
    assertThat(describe(actual)).as(when).isEqualTo(describe(expected));
    if (actual instanceof Decision.Placed placed) {
      assertOneSource(placed, counts, when);
      inFlight.put(ref.uid(), placed);
      if (random.nextInt(3) > 0) {
        finish(random, placed);
      }
    } else {
      held +=
          actual instanceof Decision.Unschedulable waits && waits.cause() == WaitCause.HELD_BY_QUEUE
              ? 1
              : 0;
      forget(pod);
    }
    if (actual instanceof Decision.Nominated nominated) {
      evictions += nominated.victims().size();
      nominated.victims().forEach(this::evict);
    }
  }

  private void evict(PodRef victim) {
    if (bound.containsKey(victim.uid())) {
      delete(bound.get(victim.uid()));
    } else if (inFlight.remove(victim.uid()) != null) {
      apply(new ClusterEvent.BindingFailed(victim, "preempted", true));
      forget(pods.get(victim.uid()));
    }
  }

  private Decision rebuilt(PodModel pod) {
    Engine rebuilt = engine();
    rebuilt.apply(policy(), now);
    queues.forEach(queue -> rebuilt.apply(new ClusterEvent.QueueUpserted(queue), now));
    objects.values().forEach(o -> rebuilt.apply(new ClusterEvent.DevicesUpserted(o), now));
    nodes.values().forEach(node -> rebuilt.apply(new ClusterEvent.NodeUpserted(node), now));
    bound.values().forEach(other -> rebuilt.apply(new ClusterEvent.PodUpserted(other), now));
    // In the order of the decisions, by which equally important pods are chosen as victims.
    inFlight.values().stream()
        .sorted(
            Comparator.comparingInt(placed -> Integer.parseInt(placed.pod().name().substring(3))))
        .forEach(
            placed -> {
              PodModel present = pods.get(placed.pod().uid());
              if (present != null) {
                rebuilt.apply(new ClusterEvent.PodUpserted(present), now);
              }
              rebuilt.apply(
                  new ClusterEvent.PodAssumed(
                      placed.pod(), placed.nodeName(), placed.preBind(), placed.assignments()),
                  now);
            });
    rebuilt.apply(new ClusterEvent.PodUpserted(pod), now);
    Outcome outcome = rebuilt.next(now);
    assertThat(outcome).isInstanceOf(Decision.class);
    assertThat(living.queues()).isEqualTo(rebuilt.queues());
    return (Decision) outcome;
  }

  private static List<Object> describe(Decision decision) {
    return List.of(
        decision.record().message(),
        decision.record().verdicts(),
        decision.record().bestNodes(),
        decision instanceof Decision.Placed placed ? placed.preBind() : List.of(),
        decision instanceof Decision.Nominated nominated
            ? List.of(nominated.nodeName(), Set.copyOf(nominated.victims()))
            : List.of());
  }

  private void finishOne(Random random) {
    if (!inFlight.isEmpty()) {
      finish(random, List.copyOf(inFlight.values()).get(random.nextInt(inFlight.size())));
    }
  }

  private void finish(Random random, Decision.Placed placed) {
    String uid = placed.pod().uid();
    PodModel gone = goneInFlight.remove(uid);
    PodModel pod = gone == null ? pods.get(uid) : gone;
    if (random.nextInt(4) == 0 || !canBeWritten(placed)) {
      inFlight.remove(placed.pod().uid());
      apply(new ClusterEvent.BindingFailed(placed.pod(), "conflict", true));
      forget(pod);
      return;
    }
    boolean confirmedFirst = random.nextBoolean();
    if (confirmedFirst) {
      apply(new ClusterEvent.BindingConfirmed(placed.pod()));
    }
    for (var step : placed.preBind()) {
      write((ClaimAllocation) step, placed.pod());
    }
    if (!confirmedFirst) {
      apply(new ClusterEvent.BindingConfirmed(placed.pod()));
    }
    inFlight.remove(placed.pod().uid());
    if (gone != null) {
      release(gone);
      return;
    }
    PodModel onNode = Pods.from(pod).on(placed.nodeName()).startedAt(Optional.of(now)).build();
    bound.put(pod.ref().uid(), onNode);
    pods.put(pod.ref().uid(), onNode);
    apply(new ClusterEvent.PodUpserted(onNode));
  }

  /** Returns whether the claims are still as they were when the decision was made. */
  private boolean canBeWritten(Decision.Placed placed) {
    return placed.preBind().stream()
        .map(ClaimAllocation.class::cast)
        .allMatch(
            step ->
                objects.get("ResourceClaim/" + step.claimName()) instanceof DeviceClaim claim
                    && claim.allocation().isPresent() != step.allocation().isPresent());
  }

  private void write(ClaimAllocation step, PodRef pod) {
    DeviceClaim claim = (DeviceClaim) objects.get("ResourceClaim/" + step.claimName());
    Set<String> reserved = new HashSet<>(claim.reservedFor());
    reserved.add(pod.uid());
    put(with(claim, step.allocation().or(claim::allocation), reserved));
  }

  private void forget(PodModel pod) {
    pods.remove(pod.ref().uid());
    apply(new ClusterEvent.PodRemoved(pod.ref()));
    release(pod);
  }

  private boolean mayShowDevicesLater(ClaimAllocation step) {
    return step.extended().isPresent()
        || (objects.get("ResourceClaim/" + step.claimName()) instanceof DeviceClaim claim
            && claim.allocation().isEmpty());
  }

  private void assertNoDeviceTwice(String when) {
    Map<String, DeviceAllocation> all = new TreeMap<>();
    for (DeviceObject object : objects.values()) {
      if (object instanceof DeviceClaim claim) {
        claim.allocation().ifPresent(allocation -> all.put(claim.name(), allocation));
      }
    }
    inFlight
        .values()
        .forEach(
            placed ->
                placed.preBind().stream()
                    .map(ClaimAllocation.class::cast)
                    .filter(this::mayShowDevicesLater)
                    .forEach(
                        step ->
                            step.allocation()
                                .ifPresent(
                                    allocation ->
                                        all.put(
                                            step.claimName() + " of " + placed.pod().name(),
                                            allocation))));
    Map<DeviceId, String> ownerOf = new HashMap<>();
    all.forEach(
        (owner, allocation) ->
            allocation.results().stream()
                .filter(result -> result.shareId().isEmpty())
                .forEach(
                    result ->
                        assertThat(ownerOf.put(result.device(), owner))
                            .as("%s is given once, to %s: %s", result.device(), owner, when)
                            .isNull()));
  }
}

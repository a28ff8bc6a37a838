package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Verdict;
import io.berth.engine.plugins.NodeVolumeLimits;
import io.berth.engine.plugins.VolumeBinding;
import io.berth.engine.plugins.VolumeRestrictions;
import io.berth.engine.plugins.VolumeZone;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.SharedSpec;
import io.berth.engine.volume.VolumeStep;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Claims that are described instead of named get the same verdicts on every node, after any number
 * of changes of volumes, claims and nodes since the first description.
 */
class DescribedClaimsTest {
  private static final int STEPS = 250;
  private static final int NODES = 6;
  private static final String ZONE = "topology.kubernetes.io/zone";
  private static final List<FilterPlugin> PLUGINS =
      List.of(
          new VolumeRestrictions(), new NodeVolumeLimits(), new VolumeBinding(), new VolumeZone());

  private final TestCluster cluster = new TestCluster();
  private final ClusterState state = cluster.engine.state();
  private final RandomStorage storage = new RandomStorage(cluster::upsert, cluster::remove);
  private final Map<SharedSpec, List<NodeFilter>> living = new HashMap<>();
  private final Map<String, Pod> pods = new LinkedHashMap<>();
  private int names;
  private int compared;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void aDescribedClaim_getsTheVerdictsOfTheClaimItself(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < NODES; i++) {
      putNode(random, "n" + i);
    }
    for (int step = 0; step < STEPS; step++) {
      step(random);
      for (Pod pod : pods.values()) {
        compare(state.pods().byUid(pod.getMetadata().getUid()), "step " + step);
      }
    }
    assertThat(compared).as("verdicts that were compared").isGreaterThan(NODES);
  }

  private void step(Random random) {
    switch (random.nextInt(8)) {
      case 0 -> putNode(random, "n" + random.nextInt(NODES));
      case 1, 2, 3 -> storage.step(random, "n" + random.nextInt(NODES));
      case 4, 5 -> addPod(random);
      case 6 -> removePod(random);
      default -> decide(random);
    }
  }

  private void putNode(Random random, String name) {
    cluster.upsert(
        new NodeBuilder(TestCluster.node(name, "64"))
            .editMetadata()
            .addToLabels(ZONE, List.of("a", "b", "c").get(random.nextInt(3)))
            .endMetadata()
            .build());
  }

  private void addPod(Random random) {
    if (storage.hasClaims()) {
      Pod pod = TestCluster.pod("p" + names++, "1", 0);
      for (int i = 0; i <= random.nextInt(3); i++) {
        pod =
            new PodBuilder(pod)
                .editSpec()
                .addNewVolume()
                .withName("data-" + i)
                .withNewPersistentVolumeClaim(storage.anyClaimName(random), false)
                .endVolume()
                .endSpec()
                .build();
      }
      pods.put(pod.getMetadata().getName(), pod);
      cluster.upsert(pod);
    }
  }

  private void removePod(Random random) {
    if (!pods.isEmpty()) {
      List<Pod> all = List.copyOf(pods.values());
      Pod gone = all.get(random.nextInt(all.size()));
      pods.remove(gone.getMetadata().getName());
      cluster.remove(gone);
    }
  }

  private void decide(Random random) {
    if (!(cluster.next() instanceof Decision.Placed placed)) {
      return;
    }
    Pod pod = pods.get(placed.pod().name());
    if (random.nextInt(3) == 0) {
      cluster.apply(new ClusterEvent.BindingFailed(placed.pod(), "", true));
      return;
    }
    List<VolumeStep> steps = new ArrayList<>();
    placed.preBind().forEach(step -> steps.add((VolumeStep) step));
    if (random.nextBoolean()) {
      storage.bind(steps, "a", random);
    }
    cluster.upsert(TestCluster.bound(pod, placed.nodeName()));
  }

  private void compare(PodEntry pod, String when) {
    SharedSpec described = state.podClaims().described(pod.shared());
    if (described == pod.shared() || pod.slot() != PodEntry.NOWHERE) {
      return;
    }
    List<NodeFilter> remembered =
        living.computeIfAbsent(
            described,
            spec -> {
              state.retainSpec(spec);
              return filters(spec, pod);
            });
    List<NodeFilter> named = filters(pod.shared(), pod);
    assertThat(verdicts(remembered)).as(when + ", " + pod).isEqualTo(verdicts(named));
    named.forEach(NodeFilter::release);
    compared++;
  }

  private List<NodeFilter> filters(SharedSpec spec, PodEntry pod) {
    PodShape shape = new PodShape(spec, state.matchersOf(pod), Optional.empty());
    List<NodeFilter> filters = new ArrayList<>();
    PLUGINS.forEach(plugin -> plugin.filterFor(shape, state).ifPresent(filters::add));
    return filters;
  }

  private Map<String, Optional<Verdict>> verdicts(List<NodeFilter> filters) {
    filters.forEach(NodeFilter::refresh);
    Map<String, Optional<Verdict>> verdicts = new TreeMap<>();
    verdicts.put(
        "every node", filters.stream().flatMap(filter -> filter.rejectsPod().stream()).findFirst());
    state
        .nodes()
        .alive()
        .forEach(slot -> verdicts.put(state.nodes().name(slot), firstRejection(filters, slot)));
    return verdicts;
  }

  private static Optional<Verdict> firstRejection(List<NodeFilter> filters, int slot) {
    return filters.stream()
        .filter(filter -> filter.verdictAt(slot) != NodeFilter.PASSES)
        .map(filter -> filter.verdict(filter.verdictAt(slot)))
        .findFirst();
  }
}

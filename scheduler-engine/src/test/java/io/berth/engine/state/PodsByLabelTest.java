package io.berth.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.Requirement;
import io.berth.rules.label.LabelOperator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pods that a selector finds, compared with a pass over all pods. */
class PodsByLabelTest {
  private static final List<String> NAMESPACES = List.of("default", "team-a", "team-b");

  private final ClusterState state = new ClusterState(new CacheLimit(1 << 20));

  private static PodModel pod(
      String namespace, String name, String uid, Map<String, String> labels) {
    return Pods.pod(name).ref(new PodRef(namespace, name, uid)).labels(labels).build();
  }

  private List<PodEntry> found(@Nullable String namespace, Requirement... requirements) {
    List<PodEntry> found = new ArrayList<>();
    state.pods().forEachMatching(namespace, List.of(requirements), found::add);
    return found;
  }

  private List<PodEntry> expected(@Nullable String namespace, Requirement requirement) {
    return state.pods().all().stream()
        .filter(pod -> namespace == null || pod.ref().namespace().equals(namespace))
        .filter(pod -> requirement.matches(pod.model().labels()))
        .toList();
  }

  private static Requirement in(String key, String... values) {
    return new Requirement(key, LabelOperator.IN, List.of(values));
  }

  @Test
  void aPodWithTheNameOfAnother_isFoundBesideIt_untilOneIsRemoved() {
    PodEntry old = state.addPod(pod("default", "web-0", "uid-1", Map.of("app", "web")));
    PodEntry replacement = state.addPod(pod("default", "web-0", "uid-2", Map.of("app", "web")));

    assertThat(found("default", in("app", "web"))).containsExactlyInAnyOrder(old, replacement);

    state.removePod(old);

    assertThat(found("default", in("app", "web"))).containsExactly(replacement);
    assertThat(state.pods().byName("default", "web-0")).isSameAs(replacement);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void afterAnyChanges_aSelectorFindsWhatAPassOverAllPodsFinds(int seed) {
    Random random = new Random(seed);
    List<PodEntry> known = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      int kind = random.nextInt(10);
      if (known.isEmpty() || kind < 6) {
        String namespace = NAMESPACES.get(random.nextInt(NAMESPACES.size()));
        known.add(state.addPod(pod(namespace, "pod-" + i, "uid-" + i, labels(random))));
      } else if (kind < 8) {
        state.removePod(known.remove(random.nextInt(known.size())));
      } else {
        PodEntry pod = known.get(random.nextInt(known.size()));
        PodModel before = pod.model();
        state.updatePod(
            pod,
            pod(before.ref().namespace(), before.ref().name(), before.ref().uid(), labels(random)));
      }
      if (i % 50 == 0) {
        for (String namespace : NAMESPACES) {
          compare(namespace, random);
        }
        compare(null, random);
      }
    }
  }

  private void compare(@Nullable String namespace, Random random) {
    String key = "key-" + random.nextInt(12);
    for (Requirement requirement :
        List.of(
            in(key, "1", "2", "2"),
            in("job", "job-" + random.nextInt(100)),
            new Requirement(key, LabelOperator.NOT_IN, List.of("1")),
            new Requirement(key, LabelOperator.EXISTS, List.of()))) {
      assertThat(found(namespace, requirement))
          .containsExactlyInAnyOrderElementsOf(expected(namespace, requirement));
    }
  }

  private static Map<String, String> labels(Random random) {
    return Map.of(
        "key-" + random.nextInt(12), "" + random.nextInt(4), "job", "job-" + random.nextInt(100));
  }
}

package io.berth.engine.cards;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Pods in the order of their creation. */
class PodsByAgeTest {
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  private record Pod(Instant createdAt, String uid, String kind) {}

  private final Map<String, Integer> counts = new HashMap<>();
  private int changes;
  private final PodsByAge<String> pods =
      new PodsByAge<>(
          (kind, delta) -> {
            changes++;
            counts.merge(kind, delta, Integer::sum);
          });

  private boolean add(Pod pod) {
    return pods.add(pod.createdAt(), pod.uid(), pod.kind());
  }

  private boolean remove(Pod pod) {
    return pods.remove(pod.createdAt(), pod.uid(), pod.kind());
  }

  private static Pod pod(int number, int second) {
    return new Pod(BEGIN.plusSeconds(second), "uid-" + number, "kind-" + number % 7);
  }

  private static Map<String, Integer> countsOf(List<Pod> present, int oldest) {
    Map<String, Integer> counts = new HashMap<>();
    present.stream()
        .sorted(Comparator.comparing(Pod::createdAt).thenComparing(Pod::uid))
        .limit(oldest)
        .forEach(pod -> counts.merge(pod.kind(), 1, Integer::sum));
    return counts;
  }

  @Test
  void countOldest_countsTheSameAsSortingAllPods() {
    Random random = new Random(7);
    List<Pod> present = new ArrayList<>();
    for (int i = 0; i < 12_000; i++) {
      boolean grows = i < 5_000 || i > 10_000;
      if (present.isEmpty() || random.nextInt(10) < (grows ? 7 : 2)) {
        Pod pod = pod(i, random.nextInt(40));
        assertThat(add(pod)).isTrue();
        present.add(pod);
      } else {
        assertThat(remove(present.remove(random.nextInt(present.size())))).isTrue();
      }
      if (i % 50 == 0) {
        int oldest = random.nextInt(present.size() + 1);
        pods.countOldest(oldest);
        assertThat(pods.counted()).isEqualTo(oldest);
        counts.values().removeIf(count -> count == 0);
        assertThat(counts).isEqualTo(countsOf(present, oldest));
      }
    }
    assertThat(pods.size()).isEqualTo(present.size());
  }

  @Test
  void podThatIsPresent_isNotAddedTwice() {
    for (int i = 0; i < 2_000; i++) {
      add(pod(i, i % 3));
    }

    assertThat(add(pod(1_999, 1_999 % 3))).isFalse();
    assertThat(add(pod(0, 0))).isFalse();
    assertThat(pods.size()).isEqualTo(2_000);
  }

  @Test
  void podThatIsNotPresent_isNotRemoved() {
    assertThat(remove(pod(1, 1))).isFalse();
    add(pod(1, 1));

    assertThat(remove(pod(1, 2))).isFalse();
    assertThat(remove(pod(2, 1))).isFalse();
    assertThat(remove(pod(1, 1))).isTrue();
    assertThat(pods.size()).isZero();
  }

  @Test
  void pods_areCountedWhenTheDivisionIsAskedFor_notWithEachPod() {
    for (int i = 0; i < 5_000; i++) {
      add(pod(i, i));
    }
    assertThat(changes).isZero();

    pods.countOldest(4_000);
    add(pod(5_000, 5_000));

    assertThat(changes).isEqualTo(4_000);
  }
}

package io.berth.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random operations on the queue, compared with a map of the expected part of the queue for each
 * pod.
 */
class SchedulingQueuePropertiesTest {

  private record Pod(int shape, int priority, boolean gated) {}

  private static final int PODS = 40;
  private static final int PLUGINS = 4;

  private final Set<String> placed = new HashSet<>();
  private final SchedulingQueue<Pod, Integer> queue =
      new SchedulingQueue<>(
          new QueueRules<>() {
            @Override
            public boolean isPlaced(String uid) {
              return placed.contains(uid);
            }

            @Override
            public Optional<String> gatedBy(Pod pod) {
              return pod.gated() ? Optional.of("gate") : Optional.empty();
            }

            @Override
            public Object shapeOf(Pod pod) {
              return pod.shape();
            }

            @Override
            public boolean concerns(String plugin, Integer event) {
              return true;
            }

            @Override
            public boolean mayHelp(Pod pod, String plugin, Integer event) {
              return plugin.equals("plugin-" + event);
            }

            @Override
            public String labelOf(Integer event) {
              return "event " + event;
            }
          },
          QueueTimes.DEFAULT);

  /** A heap for each shape; the heap of the lowest shape is first. */
  private static final class ByShape implements QueueOrder<Pod> {
    private final TreeMap<Integer, Pod> heads = new TreeMap<>();
    private final Map<List<Integer>, Integer> waiting = new HashMap<>();

    @Override
    public Object heapOf(Pod pod) {
      return pod.shape(); // small numbers are one object each
    }

    @Override
    public void headChanged(Object heap, @Nullable Pod first) {
      if (first == null) {
        heads.remove((Integer) heap);
      } else {
        heads.put((Integer) heap, first);
      }
    }

    @Override
    public void waitingChanged(Object heap, int priority, int change) {
      waiting.merge(List.of((Integer) heap, priority), change, Integer::sum);
      waiting.values().remove(0);
    }

    @Override
    public @Nullable Object next() {
      return heads.isEmpty() ? null : heads.firstKey();
    }
  }

  private @Nullable ByShape order;

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15})
  void order_knowsHowManyUnitsWaitInEachHeap(long seed) {
    order = new ByShape();
    queue.regroup(order);
    everyPodIsInOnePlace_andNoPlacedPodIsHandedOut(seed);

    order = new ByShape();
    queue.regroup(order);
    countsAgreeWithTheOrder();
    ByShape last = order;
    queue.regroup(null);
    assertThat(last.waiting).isEmpty();
  }

  private void countsAgreeWithTheOrder() {
    ByShape byShape = order;
    if (byShape == null) {
      return;
    }
    Map<List<Integer>, Integer> expected = new HashMap<>();
    for (SchedulingQueue.Queued<Pod> queued : queue.units()) {
      if (queued.place() != QueuePlace.IN_FLIGHT && queued.place() != QueuePlace.GATED) {
        expected.merge(List.of(queued.unit().shape(), queued.unit().priority()), 1, Integer::sum);
      }
    }
    assertThat(byShape.waiting).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void everyPodIsInOnePlace_andNoPlacedPodIsHandedOut(long seed) {
    Random random = new Random(seed);
    Instant now = Instant.EPOCH;
    Set<String> inFlight = new HashSet<>();
    for (int step = 0; step < 5_000; step++) {
      now = now.plus(Duration.ofMillis(random.nextInt(500)));
      String uid = "pod-" + random.nextInt(PODS);
      switch (random.nextInt(8)) {
        case 0, 1 -> {
          int priority = random.nextInt(3);
          queue.put(
              uid,
              new Pod(random.nextInt(3), priority, random.nextInt(10) == 0),
              priority,
              List.of(random.nextInt(PLUGINS)),
              now);
        }
        case 2 -> queue.wake(random.nextInt(PLUGINS), now);
        case 3 -> {
          queue.remove(uid);
          inFlight.remove(uid);
          placed.remove(uid);
        }
        case 4 -> {
          if (inFlight.remove(uid)) {
            queue.rejected(uid, Set.of("plugin-" + random.nextInt(PLUGINS)), now);
          }
        }
        case 5 -> {
          if (inFlight.remove(uid)) {
            queue.failed(uid, now);
          }
        }
        case 6 -> {
          if (inFlight.remove(uid)) {
            placed.add(uid);
            queue.done(uid);
          }
        }
        default -> {
          Optional<SchedulingQueue.Popped<Pod>> popped = queue.pop(now);
          if (popped.isPresent()) {
            assertThat(placed).doesNotContain(popped.get().key());
            assertThat(popped.get().unit().gated()).isFalse();
            assertThat(inFlight.add(popped.get().key())).isTrue();
          } else {
            assertThat(queue.nextDue().isReached(now)).isFalse();
          }
        }
      }
      countsAgree(inFlight);
      countsAgreeWithTheOrder();
    }
  }

  private void countsAgree(Set<String> inFlight) {
    Map<QueuePlace, Integer> counts = new HashMap<>();
    for (int i = 0; i < PODS; i++) {
      QueuePlace place = queue.placeOf("pod-" + i);
      counts.merge(place, 1, Integer::sum);
      assertThat(place == QueuePlace.IN_FLIGHT).isEqualTo(inFlight.contains("pod-" + i));
    }
    for (QueuePlace place : QueuePlace.values()) {
      if (place != QueuePlace.ABSENT) {
        assertThat(queue.size(place)).isEqualTo(counts.getOrDefault(place, 0));
      }
    }
  }
}

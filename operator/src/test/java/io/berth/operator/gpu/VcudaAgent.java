package io.berth.operator.gpu;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * A simulation of gpu-manager. The kubelet passes the amount that a container requests, but not its
 * pod: the agent selects the oldest pod by predicate time that is pending, not assigned, and has a
 * container with this amount and without cards. For a share it repeats the choice of a card, and
 * fails if its own differs; whole cards it chooses by itself: here the last free ones. Before a
 * container starts, it fails a pod without cards, and writes the cards that it assigned.
 */
final class VcudaAgent implements Agent {
  private static final int CORES_OF_CARD = 100;
  private static final long BLOCKS_OF_CARD = 64;

  private final long[] cores;
  private final long[] blocks;

  /** The cards, by pod and index of the container. */
  private final Map<String, Map<Integer, List<Integer>>> given = new HashMap<>();

  VcudaAgent(int cards) {
    cores = IntStream.range(0, cards).mapToLong(card -> CORES_OF_CARD).toArray();
    blocks = IntStream.range(0, cards).mapToLong(card -> BLOCKS_OF_CARD).toArray();
  }

  @Override
  public void admit(Pod pod, Cluster cluster) {
    for (Container container : pod.getSpec().getContainers()) {
      Pod found = allocate(amount(container, Vcuda.CORES), cluster);
      if (!found.getMetadata().getName().equals(pod.getMetadata().getName())) {
        throw new AssertionError(
            "the cards of pod %s go to pod %s"
                .formatted(pod.getMetadata().getName(), found.getMetadata().getName()));
      }
    }
  }

  /** Allocates an amount; the kubelet does not pass the pod. */
  private Pod allocate(long asked, Cluster cluster) {
    List<Pod> candidates =
        cluster.pods().values().stream()
            .filter(pod -> pod.getSpec().getNodeName() != null)
            .filter(pod -> pod.getStatus().getPhase().equals("Pending"))
            .filter(pod -> !"true".equals(annotation(pod, Vcuda.ASSIGNED)))
            .sorted(Comparator.comparing(pod -> annotation(pod, Vcuda.TIME)))
            .toList();
    for (Pod pod : candidates) {
      List<Container> containers = pod.getSpec().getContainers();
      for (int i = 0; i < containers.size(); i++) {
        Map<Integer, List<Integer>> cards =
            given.computeIfAbsent(pod.getMetadata().getName(), absent -> new HashMap<>());
        if (!cards.containsKey(i) && amount(containers.get(i), Vcuda.CORES) == asked) {
          cards.put(i, choose(pod, i, asked, amount(containers.get(i), Vcuda.MEMORY)));
          return pod;
        }
      }
    }
    throw new AssertionError("candidate pod not found for request of " + asked);
  }

  private List<Integer> choose(Pod pod, int container, long asked, long memory) {
    if (asked >= CORES_OF_CARD) {
      List<Integer> free = new ArrayList<>();
      for (int card = cores.length - 1; card >= 0 && free.size() < asked / CORES_OF_CARD; card--) {
        if (cores[card] == CORES_OF_CARD) {
          free.add(card);
        }
      }
      if (free.size() < asked / CORES_OF_CARD) {
        throw new AssertionError("no free node for " + pod.getMetadata().getName());
      }
      free.forEach(card -> take(card, CORES_OF_CARD, BLOCKS_OF_CARD));
      return free;
    }
    int card =
        IntStream.range(0, cores.length)
            .boxed()
            .sorted(
                Comparator.<Integer>comparingLong(at -> cores[at])
                    .thenComparingLong(at -> blocks[at])
                    .thenComparingInt(at -> at))
            .filter(at -> cores[at] >= asked && blocks[at] >= memory)
            .findFirst()
            .orElseThrow(() -> new AssertionError("no free node"));
    String predicted = annotation(pod, Vcuda.CARDS_PREFIX + container);
    if (!predicted.equals(String.valueOf(card))) {
      throw new AssertionError(
          "Nvidia node mismatch for pod %s, pick up: %d predicate: %s"
              .formatted(pod.getMetadata().getName(), card, predicted));
    }
    take(card, asked, memory);
    return List.of(card);
  }

  private void take(int card, long takenCores, long takenBlocks) {
    cores[card] -= takenCores;
    blocks[card] -= takenBlocks;
  }

  @Override
  public void start(Pod pod, Cluster cluster) {
    Map<Integer, List<Integer>> cardsOfPod = given.get(pod.getMetadata().getName());
    if (cardsOfPod == null) {
      throw new AssertionError("failed to get pod from allocatedPod cache");
    }
    Map<String, String> annotations = new HashMap<>();
    cardsOfPod.forEach(
        (container, cards) ->
            annotations.put(
                Vcuda.CARDS_PREFIX + container,
                String.join(",", cards.stream().map(String::valueOf).toList())));
    annotations.put(Vcuda.ASSIGNED, "true");
    cluster.annotate(pod.getMetadata().getName(), annotations);
  }

  @Override
  public String memory() {
    return Arrays.toString(cores) + Arrays.toString(blocks) + new TreeMap<>(given);
  }

  private static String annotation(Pod pod, String key) {
    Map<String, String> annotations = pod.getMetadata().getAnnotations();
    return annotations == null ? "" : annotations.getOrDefault(key, "");
  }

  private static long amount(Container container, String resource) {
    Quantity quantity = container.getResources().getLimits().get(resource);
    return quantity == null ? 0 : Long.parseLong(quantity.getAmount());
  }
}

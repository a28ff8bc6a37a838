package io.berth.engine.quota;

import io.berth.engine.devices.ClaimedDevices;
import io.berth.engine.model.Card;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.ResourceAmounts;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The resources that queues count: those that some queue names, or CPU and memory if none names
 * any. Amounts are arrays in the order of their names.
 */
final class CountedResources {
  /** The amount of a resource that a limit does not name. */
  static final long UNLIMITED = Long.MAX_VALUE;

  private static final long MOST_GPUS = 1_000_000_000;

  private static final List<String> BINARY_UNITS = List.of("Ki", "Mi", "Gi", "Ti");

  private final List<String> names;

  /** The device class of each resource; empty for those that are no devices of claims. */
  private final List<String> classes;

  private final boolean countDevices;

  private CountedResources(List<String> names) {
    this.names = names;
    this.classes = names.stream().map(ClaimedDevices::classOf).toList();
    this.countDevices = classes.stream().anyMatch(name -> !name.isEmpty());
  }

  static CountedResources of(Collection<QueueModel> queues) {
    TreeSet<String> names = new TreeSet<>();
    for (QueueModel queue : queues) {
      addTo(names, queue.guarantee());
      addTo(names, queue.limit());
    }
    if (names.isEmpty()) {
      names.add(ResourceAmounts.CPU);
      names.add(ResourceAmounts.MEMORY);
    }
    return new CountedResources(List.copyOf(names));
  }

  private static void addTo(Set<String> names, ResourceAmounts amounts) {
    for (int i = 0; i < amounts.size(); i++) {
      names.add(amounts.name(i));
    }
  }

  int size() {
    return names.size();
  }

  String name(int i) {
    return names.get(i);
  }

  /** Returns whether devices of resource claims are counted. */
  boolean countDevices() {
    return countDevices;
  }

  /** Returns the class of the devices that the i-th resource counts; empty if it counts none. */
  String deviceClass(int i) {
    return classes.get(i);
  }

  /** Returns the number of the resource that counts GPU cards and their shares; -1 for none. */
  int cards() {
    return names.indexOf(PodCards.MILLI_GPU);
  }

  /** Returns GPUs that are only counted, in thousandths of one. */
  static long milliGpu(ResourceAmounts amounts) {
    return Math.min(amounts.amountOf(PodCards.COUNTED_GPU), MOST_GPUS) * Card.MILLI_CORES;
  }

  /** Returns the amounts; 0 where a resource is not named. */
  long[] amounts(ResourceAmounts given) {
    long[] amounts = new long[names.size()];
    for (int i = 0; i < amounts.length; i++) {
      amounts[i] = given.amountOf(names.get(i));
    }
    return amounts;
  }

  /** Returns the amounts of a pod, which counts as one of {@code pods}. */
  long[] ofPod(ResourceAmounts requests) {
    long[] amounts = amounts(requests);
    int pods = names.indexOf(ResourceAmounts.PODS);
    if (pods >= 0) {
      amounts[pods] = 1;
    }
    return amounts;
  }

  /** Returns the amounts of a limit; {@link #UNLIMITED} where a resource is not named. */
  long[] limits(ResourceAmounts given) {
    long[] limits = amounts(given);
    for (int i = 0; i < limits.length; i++) {
      limits[i] = given.names(names.get(i)) ? limits[i] : UNLIMITED;
    }
    return limits;
  }

  /** Returns the i-th amount in the notation of Kubernetes. */
  String text(int i, long amount) {
    String name = names.get(i);
    if (name.equals(ResourceAmounts.CPU)) {
      return amount % 1000 == 0 ? String.valueOf(amount / 1000) : amount + "m";
    }
    if (name.equals(ResourceAmounts.MEMORY) || name.equals(ResourceAmounts.EPHEMERAL_STORAGE)) {
      for (int unit = BINARY_UNITS.size() - 1; unit >= 0; unit--) {
        long bytes = 1L << (10 * (unit + 1));
        if (amount != 0 && amount % bytes == 0) {
          return amount / bytes + BINARY_UNITS.get(unit);
        }
      }
    }
    return String.valueOf(amount);
  }
}

package io.berth.engine.devices;

import io.berth.engine.cards.FreeCards;
import io.berth.engine.model.Card;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A card of a node as its driver publishes it: one device, or the partitions that use the counters
 * of one set. Sizes are thousandths of the card.
 *
 * <p>A partition's size is the mean over all counters of the set of the part that it uses. What is
 * left of a partitioned card counts as several smaller cards, because its free counters may be
 * scattered: the largest partition that can still be allocated, the largest one beside it, and so
 * on.
 */
final class DeviceCard {
  private static final int WHOLE = Card.MILLI_CORES;
  private static final int NOT_GROUPED = -1;

  /** The partitions of a card, with what they use of its counters. */
  private static final class Partitions {
    static final Partitions NONE = new Partitions(new long[0], new long[0][], List.of());

    /** The counters of the card. */
    final long[] total;

    /** By partition, what it uses of each counter. */
    final long[][] uses;

    final List<Integer> largestFirst;

    Partitions(long[] total, long[][] uses, List<Integer> largestFirst) {
      this.total = total;
      this.uses = uses;
      this.largestFirst = largestFirst;
    }
  }

  private final NodeDevices node;
  private final int[] devices;
  private final int[] sizes;
  private final Partitions partitions;
  private final String model;
  private int modelNumber = -1;
  private int shapeNumber;
  private int group = NOT_GROUPED;
  private int numaNode = NOT_GROUPED;

  private DeviceCard(NodeDevices node, int[] devices, int[] sizes, Partitions partitions) {
    this.node = node;
    this.devices = devices;
    this.sizes = sizes;
    this.partitions = partitions;
    this.model = DeviceModel.cardOf(node.device(devices[0]));
  }

  /** Returns the card that is one device. */
  static DeviceCard of(NodeDevices node, int device) {
    return new DeviceCard(node, new int[] {device}, new int[] {WHOLE}, Partitions.NONE);
  }

  /**
   * Returns the card that these partitions share.
   *
   * @param set the name of the set of counters
   */
  static DeviceCard of(NodeDevices node, List<Integer> partitions, String set) {
    PoolOnNode.Counters counters = node.poolOf(partitions.getFirst()).counters();
    Map<String, Integer> numbers = counters.numbers().getOrDefault(set, Map.of());
    List<Integer> positions = numbers.values().stream().sorted().toList();
    long[] total = new long[positions.size()];
    for (int i = 0; i < total.length; i++) {
      total[i] = thousandths(counters.values().get(positions.get(i)));
    }
    int count = partitions.size();
    long[][] uses = new long[count][total.length];
    int[] sizes = new int[count];
    for (int i = 0; i < count; i++) {
      for (CounterSet of : node.device(partitions.get(i)).device().uses()) {
        if (of.name().equals(set)) {
          long[] used = uses[i];
          of.counters()
              .forEach(
                  (name, amount) -> {
                    Integer at = numbers.get(name);
                    if (at != null) {
                      used[positions.indexOf(at)] = thousandths(amount);
                    }
                  });
        }
      }
      sizes[i] = sizeOf(uses[i], total);
    }
    List<Integer> largestFirst =
        IntStream.range(0, count)
            .boxed()
            .sorted(Comparator.comparingInt((Integer i) -> -sizes[i]))
            .toList();
    return new DeviceCard(
        node,
        partitions.stream().mapToInt(Integer::intValue).toArray(),
        sizes,
        new Partitions(total, uses, largestFirst));
  }

  private static long thousandths(BigDecimal amount) {
    BigDecimal scaled = amount.movePointRight(3).setScale(0, RoundingMode.CEILING);
    return scaled.unscaledValue().bitLength() > Long.SIZE - 2
        ? Long.MAX_VALUE / 2
        : scaled.longValue();
  }

  private static int sizeOf(long[] used, long[] total) {
    double sum = 0;
    int counters = 0;
    for (int i = 0; i < total.length; i++) {
      if (total[i] > 0) {
        sum += (double) Math.min(used[i], total[i]) / total[i];
        counters++;
      }
    }
    return counters == 0 ? WHOLE : Math.max(1, (int) Math.round(WHOLE * sum / counters));
  }

  /** Returns the name of its model. */
  String model() {
    return model;
  }

  int modelNumber() {
    return modelNumber;
  }

  /** Sets the number of its model in {@link FreeCards}. */
  void setModelNumber(int number) {
    modelNumber = number;
  }

  /** Returns a value that is equal for cards that are divided in the same way. */
  Object shape() {
    return Arrays.asList(
        Arrays.stream(partitions.uses).map(Arrays::toString).toList(),
        Arrays.toString(partitions.total));
  }

  /** Sets the number of its {@link #shape} on the node. */
  void setShapeNumber(int number) {
    shapeNumber = number;
  }

  /** Sets the numbers of its link group and NUMA node on the node; negative for none. */
  void setPlace(int linkGroup, int numa) {
    group = linkGroup;
    numaNode = numa;
  }

  /** Returns the numbers of its devices. */
  int[] devices() {
    return devices;
  }

  /** Returns the size of one of its devices, by position. */
  int size(int position) {
    return sizes[position];
  }

  private boolean isPartitioned() {
    return partitions.uses.length > 0;
  }

  private static boolean isBlocked(Device device) {
    for (DeviceTaint taint : device.taints()) {
      if (taint.preventsAllocation()) {
        return true;
      }
    }
    return false;
  }

  /** Appends its free parts to the cards of its node, the largest first. */
  void read(ChosenParts chosen, FreeCards to) {
    if (isPartitioned()) {
      readPartitions(chosen, to);
      return;
    }
    int free = freeOf(devices[0], chosen);
    to.append(free, free == WHOLE, modelNumber, group, numaNode);
  }

  private int freeOf(int number, ChosenParts chosen) {
    KnownDevice known = node.device(number);
    Device device = known.device();
    if (isBlocked(device) || known.use().isTaken()) {
      return 0;
    }
    if (!device.shared()) {
      return chosen.has(number) ? 0 : WHOLE;
    }
    int free = WHOLE;
    for (Map.Entry<String, DeviceCapacity> capacity : device.capacity().entrySet()) {
      BigDecimal total = capacity.getValue().value();
      if (total.signum() > 0) {
        BigDecimal left =
            total
                .subtract(known.use().consumed().getOrDefault(capacity.getKey(), BigDecimal.ZERO))
                .subtract(chosen.of(number).getOrDefault(capacity.getKey(), BigDecimal.ZERO));
        free = Math.min(free, thousandthsOf(left, total));
      }
    }
    return free;
  }

  /** Returns a part of an amount in thousandths, rounded down. */
  static int thousandthsOf(BigDecimal part, BigDecimal total) {
    return Math.clamp(
        (long) Math.floor(WHOLE * part.doubleValue() / total.doubleValue()), 0, WHOLE);
  }

  private void readPartitions(ChosenParts chosen, FreeCards to) {
    long[] left = partitions.total.clone();
    boolean[] used = new boolean[devices.length];
    for (int i = 0; i < devices.length; i++) {
      used[i] = node.device(devices[i]).use().isAllocated() || chosen.has(devices[i]);
      if (used[i]) {
        take(partitions.uses[i], left);
      }
    }
    boolean any = false;
    for (int i : partitions.largestFirst) {
      long[] uses = partitions.uses[i];
      if (!used[i] && !isBlocked(node.device(devices[i]).device()) && fits(uses, left)) {
        take(uses, left);
        to.append(sizes[i], sizes[i] == WHOLE, modelNumber, group, numaNode);
        any = true;
      }
    }
    if (!any) {
      to.append(0, false, modelNumber, group, numaNode);
    }
  }

  private static boolean fits(long[] uses, long[] left) {
    for (int i = 0; i < uses.length; i++) {
      if (uses[i] > left[i]) {
        return false;
      }
    }
    return true;
  }

  private static void take(long[] uses, long[] left) {
    for (int i = 0; i < uses.length; i++) {
      left[i] -= uses[i];
    }
  }

  /**
   * Returns a value that is equal for cards of which equal parts are free, apart from their place:
   * the same choice on either leaves the same.
   */
  Object state(ChosenParts chosen) {
    List<Object> state = new ArrayList<>();
    state.add(modelNumber);
    if (isPartitioned()) {
      state.add(shapeNumber);
      for (int number : devices) {
        state.add(node.device(number).use().isAllocated() || chosen.has(number));
      }
    } else {
      Device device = node.device(devices[0]).device();
      state.add(freeOf(devices[0], chosen));
      state.add(device.capacity());
      state.add(device.shared());
    }
    return state;
  }
}

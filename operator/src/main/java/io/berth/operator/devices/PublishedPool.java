package io.berth.operator.devices;

import io.berth.engine.quantity.SignedQuantity;
import io.berth.operator.devices.ClaimDevices.Device;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.resource.v1.Counter;
import io.fabric8.kubernetes.api.model.resource.v1.CounterSet;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceCapacity;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceCounterConsumption;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The parts of one pool that can be allocated: shared devices, and devices that use counters, as
 * the slices of the highest generation publish them.
 */
public final class PublishedPool {
  /** A pool with nothing that can be allocated in parts. */
  public static final PublishedPool WITHOUT_PARTS = new PublishedPool();

  /** The capacities of the shared devices, by name. */
  private final Map<Device, Map<String, BigDecimal>> capacities = new TreeMap<>(Device.ORDER);

  /** The amounts of counters that devices use. */
  private final Map<Device, Map<CounterName, BigDecimal>> uses = new TreeMap<>(Device.ORDER);

  private final Map<CounterName, BigDecimal> counters = new TreeMap<>(CounterName.ORDER);

  /** A counter of a set of the pool. */
  private record CounterName(String set, String counter) {
    static final Comparator<CounterName> ORDER =
        Comparator.comparing(CounterName::set).thenComparing(CounterName::counter);
  }

  /**
   * Something of which claims have more than there is.
   *
   * @param devices the allocated devices that use it
   * @param what the amounts, as in "8 of 4 of counter memory"
   */
  public record Overdrawn(List<Device> devices, String what) {}

  private PublishedPool() {}

  /**
   * Reads the slices of one pool.
   *
   * @param slices all slices, of all generations
   */
  public static PublishedPool of(Collection<ResourceSlice> slices) {
    long newest =
        slices.stream().mapToLong(DeviceCounts.Pool::generationOf).max().orElse(Long.MIN_VALUE);
    PublishedPool pool = new PublishedPool();
    for (ResourceSlice slice : slices) {
      if (DeviceCounts.Pool.generationOf(slice) == newest) {
        pool.add(slice);
      }
    }
    return pool.capacities.isEmpty() && pool.uses.isEmpty() ? WITHOUT_PARTS : pool;
  }

  private void add(ResourceSlice slice) {
    DeviceCounts.Pool of = DeviceCounts.Pool.of(slice);
    for (var device : orEmpty(slice.getSpec().getDevices())) {
      Device name = new Device(of.driver(), of.pool(), device.getName());
      if (Boolean.TRUE.equals(device.getAllowMultipleAllocations())) {
        capacities.put(name, capacities(device.getCapacity()));
      }
      for (DeviceCounterConsumption use : orEmpty(device.getConsumesCounters())) {
        addCounters(
            use.getCounterSet(),
            use.getCounters(),
            uses.computeIfAbsent(name, absent -> new TreeMap<>(CounterName.ORDER)));
      }
    }
    for (CounterSet set : orEmpty(slice.getSpec().getSharedCounters())) {
      addCounters(set.getName(), set.getCounters(), counters);
    }
  }

  private static <T> List<T> orEmpty(@Nullable List<T> list) {
    return Objects.requireNonNullElse(list, List.of());
  }

  private static Map<String, BigDecimal> capacities(
      @Nullable Map<String, DeviceCapacity> published) {
    Map<String, BigDecimal> capacities = new TreeMap<>();
    Objects.requireNonNullElse(published, Map.<String, DeviceCapacity>of())
        .forEach((name, capacity) -> capacities.put(name, amount(capacity.getValue())));
    return capacities;
  }

  private static void addCounters(
      String set, @Nullable Map<String, Counter> published, Map<CounterName, BigDecimal> to) {
    Objects.requireNonNullElse(published, Map.<String, Counter>of())
        .forEach(
            (name, counter) ->
                to.merge(new CounterName(set, name), amount(counter.getValue()), BigDecimal::add));
  }

  private static BigDecimal amount(@Nullable Quantity quantity) {
    return quantity == null
        ? BigDecimal.ZERO
        : SignedQuantity.read(quantity.toString()).orElse(BigDecimal.ZERO);
  }

  /** Returns whether a device can be allocated in parts, or uses counters that others use. */
  public boolean hasParts(Device device) {
    return capacities.containsKey(device) || uses.containsKey(device);
  }

  /**
   * Returns of what claims have more than there is, as the allocation counts: each result of a
   * shared device takes its consumed capacity, and each device that is allocated uses its counters
   * once.
   *
   * @param results returns the results of claims for a device
   */
  public List<Overdrawn> overdrawn(
      Function<Device, ? extends Collection<DeviceRequestAllocationResult>> results) {
    List<Overdrawn> overdrawn = new ArrayList<>();
    capacities.forEach(
        (device, capacity) -> {
          Map<String, BigDecimal> sums = new TreeMap<>();
          for (DeviceRequestAllocationResult result : results.apply(device)) {
            Objects.requireNonNullElse(result.getConsumedCapacity(), Map.<String, Quantity>of())
                .forEach((name, consumed) -> sums.merge(name, amount(consumed), BigDecimal::add));
          }
          forEachExcess(
              sums,
              capacity,
              (name, amounts) ->
                  overdrawn.add(
                      new Overdrawn(
                          List.of(device),
                          "%s of capacity %s of device %s".formatted(amounts, name, device))));
        });
    Map<CounterName, List<Device>> users = new TreeMap<>(CounterName.ORDER);
    Map<CounterName, BigDecimal> sums = new TreeMap<>(CounterName.ORDER);
    uses.forEach(
        (device, amounts) -> {
          if (!results.apply(device).isEmpty()) {
            amounts.forEach(
                (counter, amount) -> {
                  sums.merge(counter, amount, BigDecimal::add);
                  users.computeIfAbsent(counter, absent -> new ArrayList<>()).add(device);
                });
          }
        });
    forEachExcess(
        sums,
        counters,
        (counter, amounts) ->
            overdrawn.add(
                new Overdrawn(
                    users.get(counter),
                    "%s of counter %s of set %s"
                        .formatted(amounts, counter.counter(), counter.set()))));
    return overdrawn;
  }

  /**
   * Finds the sums that exceed what is published under the same name.
   *
   * @param excess receives the name and the amounts, as in "8 of 4"
   */
  private static <K> void forEachExcess(
      Map<K, BigDecimal> sums, Map<K, BigDecimal> published, BiConsumer<K, String> excess) {
    sums.forEach(
        (name, sum) -> {
          BigDecimal limit = published.get(name);
          if (limit != null && sum.compareTo(limit) > 0) {
            excess.accept(name, "%s of %s".formatted(sum.toPlainString(), limit.toPlainString()));
          }
        });
  }
}

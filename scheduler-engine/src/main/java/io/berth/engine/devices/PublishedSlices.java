package io.berth.engine.devices;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The slices as drivers publish them, and the rules that taint their devices. */
final class PublishedSlices {
  /**
   * A slice.
   *
   * @param published the slice as its driver published it
   * @param tainted the same with the taints of the rules
   */
  private record Slice(DeviceSlice published, DeviceSlice tainted) {}

  private final DevicePools pools;
  private final Map<String, Slice> slices = new HashMap<>();
  private final TreeMap<String, TaintRule> rules = new TreeMap<>();

  PublishedSlices(DevicePools pools) {
    this.pools = pools;
  }

  boolean isEmpty() {
    return slices.isEmpty();
  }

  boolean hasRules() {
    return !rules.isEmpty();
  }

  Optional<DeviceSlice> slice(String name) {
    return Optional.ofNullable(slices.get(name)).map(Slice::published);
  }

  Optional<TaintRule> rule(String name) {
    return Optional.ofNullable(rules.get(name));
  }

  /** Adds or replaces a slice; returns whether that changed anything. */
  boolean put(DeviceSlice slice) {
    Slice before = slices.get(slice.name());
    if (before != null && before.published().equals(slice)) {
      return false;
    }
    replace(before, slice, tainted(slice));
    return true;
  }

  private void replace(@Nullable Slice before, DeviceSlice published, DeviceSlice tainted) {
    if (before != null) {
      pools.remove(before.tainted());
    }
    slices.put(published.name(), new Slice(published, tainted));
    pools.put(tainted);
  }

  /** Removes a slice; returns it if it was known. */
  Optional<DeviceSlice> removeSlice(String name) {
    Slice before = slices.remove(name);
    if (before != null) {
      pools.remove(before.tainted());
    }
    return Optional.ofNullable(before).map(Slice::published);
  }

  /** Adds or replaces a rule; returns whether that changed anything. */
  boolean put(TaintRule rule) {
    TaintRule before = rules.put(rule.name(), rule);
    if (rule.equals(before)) {
      return false;
    }
    taintAgain(before, rule);
    return true;
  }

  /** Removes a rule; returns it if it was known. */
  Optional<TaintRule> removeRule(String name) {
    TaintRule before = rules.remove(name);
    if (before != null) {
      taintAgain(before, null);
    }
    return Optional.ofNullable(before);
  }

  private void taintAgain(@Nullable TaintRule before, @Nullable TaintRule now) {
    for (Slice slice : List.copyOf(slices.values())) {
      if (concerns(before, slice) || concerns(now, slice)) {
        DeviceSlice tainted = tainted(slice.published());
        if (!tainted.equals(slice.tainted())) {
          replace(slice, slice.published(), tainted);
        }
      }
    }
  }

  private static boolean concerns(@Nullable TaintRule rule, Slice slice) {
    return rule != null && rule.concerns(slice.published());
  }

  /** Returns a slice whose devices have the taints of the rules after their own. */
  private DeviceSlice tainted(DeviceSlice slice) {
    List<TaintRule> concerning =
        rules.values().stream().filter(rule -> rule.concerns(slice)).toList();
    if (concerning.isEmpty()) {
      return slice;
    }
    List<Device> devices = new ArrayList<>(slice.devices().size());
    for (Device device : slice.devices()) {
      List<DeviceTaint> added =
          concerning.stream().filter(rule -> rule.taints(device)).map(TaintRule::taint).toList();
      devices.add(added.isEmpty() ? device : device.withTaints(added));
    }
    return slice.withDevices(devices);
  }
}

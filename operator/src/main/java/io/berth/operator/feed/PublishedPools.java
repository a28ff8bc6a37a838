package io.berth.operator.feed;

import io.berth.operator.devices.DeviceCounts.Pool;
import io.berth.operator.devices.PublishedPool;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The pools of devices that slices publish. Safe for use by several threads. */
final class PublishedPools implements KindCache.Follower<ResourceSlice> {
  private static final class Slices {
    final Map<String, ResourceSlice> byName = new HashMap<>();

    /** Their content; absent until it is asked for. */
    @Nullable PublishedPool read;
  }

  private final Map<Pool, Slices> pools = new HashMap<>();

  @Override
  public synchronized void put(ResourceSlice slice) {
    Slices of = pools.computeIfAbsent(Pool.of(slice), absent -> new Slices());
    of.byName.put(slice.getMetadata().getName(), slice);
    of.read = null;
  }

  @Override
  public synchronized void changed(ResourceSlice before, ResourceSlice slice) {
    removed(before);
    put(slice);
  }

  @Override
  public synchronized void removed(ResourceSlice slice) {
    Slices of = pools.get(Pool.of(slice));
    if (of != null) {
      of.byName.remove(slice.getMetadata().getName());
      of.read = null;
      if (of.byName.isEmpty()) {
        pools.remove(Pool.of(slice));
      }
    }
  }

  /** Returns what can be allocated in parts of a pool. */
  synchronized PublishedPool of(Pool pool) {
    Slices of = pools.get(pool);
    if (of == null) {
      return PublishedPool.WITHOUT_PARTS;
    }
    if (of.read == null) {
      of.read = PublishedPool.of(of.byName.values());
    }
    return of.read;
  }
}

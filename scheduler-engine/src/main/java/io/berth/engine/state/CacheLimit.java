package io.berth.engine.state;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/**
 * The maximum memory for what several engines cache. An engine drops cached data if all engines
 * together exceed the limit, and the engine itself exceeds its equal share. An engine that is not
 * in use any more counts until its memory is reclaimed.
 *
 * <p>Engines of different threads may share a limit.
 */
public final class CacheLimit {
  /** The inverse of the share of the heap that {@link #OF_PROCESS} permits. */
  private static final int SHARE_OF_HEAP = 4;

  private static final CacheLimit OF_PROCESS =
      new CacheLimit(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);

  /** The memory that one engine has cached now. */
  static final class Use {
    private volatile long bytes;

    void set(long now) {
      bytes = now;
    }
  }

  private final long bytes;

  /** The uses of all engines that may still exist; replaced as a whole. */
  private volatile List<WeakReference<Use>> uses = List.of();

  /**
   * @param bytes the approximate maximum in bytes
   */
  public CacheLimit(long bytes) {
    this.bytes = bytes;
  }

  /**
   * Returns the limit that all engines of the process share: a quarter of the maximum size of the
   * heap.
   */
  public static CacheLimit ofProcess() {
    return OF_PROCESS;
  }

  /** Returns the maximum in bytes. */
  public long bytes() {
    return bytes;
  }

  /** Returns the memory that all engines have cached, as far as they have reported it. */
  long used() {
    long all = 0;
    for (WeakReference<Use> reference : uses) {
      Use use = reference.get();
      all += use == null ? 0 : use.bytes;
    }
    return all;
  }

  /** Returns an account for one more engine; it counts as long as the engine references it. */
  synchronized Use open() {
    Use use = new Use();
    List<WeakReference<Use>> now = new ArrayList<>();
    for (WeakReference<Use> other : uses) {
      if (other.get() != null) {
        now.add(other);
      }
    }
    now.add(new WeakReference<>(use));
    uses = List.copyOf(now);
    return use;
  }

  /** Returns whether the engine with this use has to drop cached data. */
  boolean isExceededBy(Use own) {
    long mine = own.bytes;
    long all = 0;
    int engines = 0;
    List<WeakReference<Use>> now = uses;
    if (mine * now.size() <= bytes) {
      return false;
    }
    for (WeakReference<Use> reference : now) {
      Use use = reference.get();
      if (use != null) {
        all += use.bytes;
        engines++;
      }
    }
    return all > bytes && mine * engines > bytes;
  }
}

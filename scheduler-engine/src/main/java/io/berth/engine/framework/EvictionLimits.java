package io.berth.engine.framework;

/**
 * The maximum number of pods that may be evicted within a minute, including the next victims.
 *
 * @param perMinute the maximum in the whole cluster, for pods of all policies; {@link #NO_LIMIT}
 *     for any number
 * @param perMinutePerNamespace the maximum in each namespace of a victim; {@link #NO_LIMIT} for any
 *     number
 */
public record EvictionLimits(int perMinute, int perMinutePerNamespace) {
  /** The value for no limit. */
  public static final int NO_LIMIT = Integer.MAX_VALUE;

  /** No limits. */
  public static final EvictionLimits NONE = new EvictionLimits(NO_LIMIT, NO_LIMIT);

  /** Returns whether there is any limit. */
  public boolean isLimited() {
    return perMinute != NO_LIMIT || perMinutePerNamespace != NO_LIMIT;
  }
}

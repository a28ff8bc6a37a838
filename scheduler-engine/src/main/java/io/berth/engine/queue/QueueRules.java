package io.berth.engine.queue;

import java.util.Optional;

/**
 * The rules that the scheduling queue applies to a unit.
 *
 * @param <U> the type of units
 * @param <E> the type of events, which may resolve a rejection
 */
public interface QueueRules<U, E> {

  /**
   * Returns whether the unit with this key is assumed or bound. Such a unit never enters the queue,
   * and is dropped when it is found there.
   */
  boolean isPlaced(String key);

  /** Returns the user-visible reason why the unit may not be tried yet; empty if it may. */
  Optional<String> gatedBy(U unit);

  /**
   * Returns the part of the unit that {@link #mayHelp} reads. Units of equal shape that were
   * rejected by the same plugins are woken together, after one call.
   */
  Object shapeOf(U unit);

  /**
   * Returns whether an event of this kind may resolve any rejection by the plugin; called before
   * {@link #mayHelp}, once for all waiting units.
   */
  boolean concerns(String plugin, E event);

  /**
   * Returns whether the event may resolve the plugin's rejection of the unit. Returns true if in
   * doubt: a unit that is not woken waits for minutes.
   */
  boolean mayHelp(U unit, String plugin, E event);

  /**
   * Returns the amount that the unit needs of what the plugin compares; {@link Long#MIN_VALUE} if
   * {@link #mayHelp} is to be called in any case. Units of equal shape need the same amount.
   */
  default long needOf(U unit, String plugin) {
    return Long.MIN_VALUE;
  }

  /**
   * Returns the greatest {@link #needOf need} that the event may satisfy; {@link #mayHelp} is not
   * called for units that need more.
   *
   * @param priority the priority of the units
   */
  default long offeredBy(E event, String plugin, int priority) {
    return Long.MAX_VALUE;
  }

  /**
   * Returns how many units of equal shape the event may help at most, provided that it may help
   * one.
   */
  default int mostHelped(U unit, String plugin, E event) {
    return Integer.MAX_VALUE;
  }

  /**
   * Returns whether the unit waits for the end of its backoff even if no other unit is active,
   * because an attempt takes long, and other units may arrive at any moment.
   */
  default boolean alwaysPauses(U unit) {
    return false;
  }

  /** Returns the event's name, for the counts of woken units. */
  String labelOf(E event);
}

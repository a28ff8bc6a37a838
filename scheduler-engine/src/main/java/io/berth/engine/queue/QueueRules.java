package io.berth.engine.queue;

import java.util.Optional;

/**
 * The rules that the scheduling queue applies to a unit.
 *
 * @param <U> a unit as the engine holds it
 * @param <E> an event that may cure a rejection
 */
public interface QueueRules<U, E> {

  /**
   * Returns whether the unit of this key is assumed or bound. Such a unit is never let into the
   * queue, and is dropped when it is met there.
   */
  boolean isPlaced(String key);

  /**
   * Returns the reason for which the unit may not be tried yet, as user-visible text; empty if it
   * may.
   */
  Optional<String> gatedBy(U unit);

  /**
   * Returns the part of the unit that {@link #mayHelp} reads. Units of equal shape that were
   * rejected by the same plugins are woken together, after one question.
   */
  Object shapeOf(U unit);

  /**
   * Returns whether an event of this kind may cure any rejection by the plugin; asked before {@link
   * #mayHelp}, once for all units that wait.
   */
  boolean concerns(String plugin, E event);

  /**
   * Returns whether the event may cure what the plugin rejected the unit for. When in doubt the
   * answer is yes: a unit that is not woken waits for minutes.
   */
  boolean mayHelp(U unit, String plugin, E event);

  /**
   * Returns how much the unit needs of what the plugin compares; {@link Long#MIN_VALUE} where
   * {@link #mayHelp} is to be asked in any case. Units of equal shape need the same.
   */
  default long needOf(U unit, String plugin) {
    return Long.MIN_VALUE;
  }

  /**
   * Returns the greatest {@link #needOf need} that the event may meet; {@link #mayHelp} is not
   * asked about units that need more.
   *
   * @param priority the units'
   */
  default long offeredBy(E event, String plugin, int priority) {
    return Long.MAX_VALUE;
  }

  /**
   * Returns whether the unit waits for the end of a pause after a rejection though no other unit is
   * active: an attempt at it takes long, and other units may come at any moment.
   */
  default boolean alwaysPauses(U unit) {
    return false;
  }

  /** The event's name, by which units that it wakes are counted. */
  String labelOf(E event);
}

package io.berth.engine.queue;

import java.util.Optional;

/**
 * What the scheduling queue has to ask about a pod.
 *
 * @param <P> a pod as the engine holds it
 * @param <E> an event that may cure a rejection
 */
public interface QueueRules<P, E> {

  /**
   * Whether the pod of this UID is assumed or bound. Such a pod is never let into the queue, and is
   * dropped when it is met there.
   */
  boolean isPlaced(String uid);

  /** Why the pod may not be tried yet, in user-visible words; empty for a pod that may. */
  Optional<String> gatedBy(P pod);

  /**
   * What {@link #mayHelp} looks at in the pod. Pods of equal shape that were rejected by the same
   * plugins are woken together, after one question.
   */
  Object shapeOf(P pod);

  /**
   * Whether an event of this kind may cure any rejection by the plugin; asked before {@link
   * #mayHelp}, once for all pods that wait.
   */
  boolean concerns(String plugin, E event);

  /**
   * Whether the event may cure what the plugin rejected the pod for. When in doubt the answer is
   * yes: a pod that is not woken waits for minutes.
   */
  boolean mayHelp(P pod, String plugin, E event);

  /** The event's name, by which pods that it wakes are counted. */
  String labelOf(E event);
}

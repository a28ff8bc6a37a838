package io.berth.operator.schedule;

import io.berth.engine.Engine;
import io.berth.engine.api.ClusterEvent;
import io.berth.operator.feed.EventReceipt;
import java.util.function.Consumer;

/** A message to the engine's thread. */
sealed interface Message {

  /** A change in the cluster. */
  record Happened(ClusterEvent event) implements Message {}

  /**
   * An event whose sender waits until the engine has processed it.
   *
   * @param receipt called on the engine's thread; must not block
   */
  record HappenedThen(ClusterEvent event, Consumer<EventReceipt> receipt) implements Message {}

  /**
   * A query to the engine.
   *
   * @param question runs on the engine's thread; must not block, nor change anything
   */
  record Asked(Consumer<Engine> question) implements Message {}

  /** The initial state has been posted completely: the engine may begin to decide. */
  record Begin() implements Message {}
}

package io.berth.engine.model;

import java.util.List;
import java.util.Optional;

/**
 * Resources of a node that a decision chose for a pod. The sender of the Binding passes them on to
 * the node's agent, in the agent's own format.
 *
 * <p>The assignment of the engine is {@link CardAssignment}.
 */
public interface Assignment {

  /** Returns the first assignment of one type; empty if there is none. */
  static <A extends Assignment> Optional<A> ofType(List<Assignment> all, Class<A> type) {
    return all.stream().filter(type::isInstance).map(type::cast).findFirst();
  }
}

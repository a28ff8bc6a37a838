package io.berth.engine.model;

import java.util.List;

/**
 * A step that has to complete before the pod's Binding is sent. Steps are idempotent. A step names
 * the resourceVersion of the object that the decision was based on, so that later changes are never
 * overwritten. It runs only in the term of the leader that made the decision.
 *
 * <p>The steps of the engine are {@code VolumeStep}, {@code ClaimAllocation}, and {@code
 * TogetherStep}.
 */
public interface PreBindStep {

  /** Returns the steps of one type, in their order. */
  static <S extends PreBindStep> List<S> ofType(List<PreBindStep> steps, Class<S> type) {
    return steps.stream().filter(type::isInstance).map(type::cast).toList();
  }
}

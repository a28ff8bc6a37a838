package io.berth.engine.framework;

import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodSpec;
import io.berth.engine.selector.MatcherSet;
import io.berth.engine.selector.PodMatcher;
import io.berth.engine.state.SharedSpec;
import java.util.Optional;

/**
 * All that any plugin reads from a pod. Pods of equal shape get equal answers. Labels that no
 * selector reads are no part of it.
 *
 * @param shared the spec
 * @param matchers the matchers that match the pod
 * @param defaultSelector which pods the policy's default spread constraints count; empty where no
 *     Service and no controller selects the pod, or where it has spread constraints of its own
 */
public record PodShape(
    SharedSpec shared, MatcherSet matchers, Optional<DefaultSelector> defaultSelector) {

  /**
   * The selector that default spread constraints take from the pod's Services and controller.
   *
   * @param selector which pods of the namespace count
   * @param includesPod whether the pod itself is one of them
   */
  public record DefaultSelector(LabelSelector selector, boolean includesPod) {}

  public String namespace() {
    return shared.namespace();
  }

  public PodSpec spec() {
    return shared.spec();
  }

  /** Returns whether the matcher matches pods of this shape. */
  public boolean isMatchedBy(PodMatcher matcher) {
    return matchers.contains(matcher);
  }
}

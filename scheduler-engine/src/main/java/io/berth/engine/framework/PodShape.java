package io.berth.engine.framework;

import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodSpec;
import io.berth.engine.selector.MatcherSet;
import io.berth.engine.selector.PodMatcher;
import io.berth.engine.state.SharedSpec;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The part of a pod that plugins read. Pods of equal shape get equal answers. Labels that no
 * selector reads are not part of the shape.
 *
 * @param shared the spec
 * @param matchers the matchers that match the pod
 * @param defaultSelector the pods that the policy's default spread constraints count; empty if no
 *     Service or controller selects the pod, or if the pod has its own spread constraints
 */
public record PodShape(
    SharedSpec shared, MatcherSet matchers, Optional<DefaultSelector> defaultSelector) {

  /**
   * The selector that default spread constraints take from the pod's Services and controller.
   *
   * @param selector selects the pods of the namespace that count
   * @param includesPod whether the selector matches the pod itself
   */
  public record DefaultSelector(LabelSelector selector, boolean includesPod) {}

  /** Compares the spec by identity, because equal specs are shared. */
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof PodShape that
            && shared == that.shared
            && matchers.equals(that.matchers)
            && defaultSelector.equals(that.defaultSelector));
  }

  @Override
  public int hashCode() {
    return 31 * (31 * shared.hashCode() + matchers.hashCode()) + defaultSelector.hashCode();
  }

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

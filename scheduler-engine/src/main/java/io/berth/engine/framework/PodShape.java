package io.berth.engine.framework;

import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodSpec;
import io.berth.engine.state.SharedSpec;
import io.berth.engine.terms.PodMatcher;
import io.berth.engine.terms.TermSet;
import java.util.Optional;

/**
 * All that any plugin reads from a pod. Pods of equal shape get equal answers. Labels that no
 * selector reads are no part of it.
 *
 * @param shared the spec
 * @param terms by which matchers the pod is meant
 * @param like the pod's like, as services and its controller select them; empty where none does, or
 *     where the pod has spread constraints of its own
 */
public record PodShape(SharedSpec shared, TermSet terms, Optional<Like> like) {

  /**
   * A pod's like.
   *
   * @param selector which pods of the namespace
   * @param includesPod whether the pod is one of them itself
   */
  public record Like(LabelSelector selector, boolean includesPod) {}

  public String namespace() {
    return shared.namespace();
  }

  public PodSpec spec() {
    return shared.spec();
  }

  /** Whether pods of this shape are among those that the matcher means. */
  public boolean isMeantBy(PodMatcher matcher) {
    return terms.contains(matcher);
  }
}

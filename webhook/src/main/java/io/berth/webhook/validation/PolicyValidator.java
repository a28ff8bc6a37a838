package io.berth.webhook.validation;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.webhook.error.Problem;
import java.util.List;

/** Checks whether the engine can compile a policy. */
@FunctionalInterface
public interface PolicyValidator {

  /**
   * Returns all problems of a policy; empty if it can be used.
   *
   * @param name the policy's name
   */
  List<Problem> validate(String name, SchedulingPolicySpec spec);
}

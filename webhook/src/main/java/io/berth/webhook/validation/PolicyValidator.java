package io.berth.webhook.validation;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.webhook.error.Problem;
import java.util.List;

/** Says whether the engine can compile a policy. */
@FunctionalInterface
public interface PolicyValidator {

  /**
   * Everything that is wrong with a policy; nothing if it can serve.
   *
   * @param name the policy's name
   */
  List<Problem> validate(String name, SchedulingPolicySpec spec);
}

package io.berth.operator.policy;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyProblem;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A policy as it is written, wherever it is written.
 *
 * @param stamp differs whenever the policy does, also when it was deleted and created again
 * @param revision what people call this state of it: its generation
 * @param created its creationTimestamp, by which the older of two default policies is found
 * @param spec the spec; empty if it could not be parsed
 * @param problems why it could not be read, or not all of it
 * @param places says where in the object a place of the spec is written
 * @param owner the object it is written in
 */
public record PolicySource(
    String name,
    String stamp,
    String revision,
    boolean isDefault,
    String created,
    Optional<SchedulingPolicySpec> spec,
    List<Problem> problems,
    UnaryOperator<String> places,
    OwnerReference owner) {

  public PolicySource {
    problems = List.copyOf(problems);
  }

  /**
   * Everything that keeps the policy from serving, with the places in the object it is written in.
   *
   * @param compilation what the compiler made of the spec; empty where there is no spec
   */
  List<Problem> problemsOf(Optional<PolicyCompilation> compilation) {
    List<Problem> all = new ArrayList<>(problems);
    if (compilation.isPresent()
        && compilation.get() instanceof PolicyCompilation.Invalid(List<PolicyProblem> found)) {
      found.forEach(
          problem ->
              all.add(
                  new Problem(
                      ErrorCode.POLICY_INVALID, places.apply(problem.path()), problem.message())));
    }
    return all;
  }
}

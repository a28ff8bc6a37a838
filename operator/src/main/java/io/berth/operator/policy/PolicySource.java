package io.berth.operator.policy;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.rollout.RolloutStatus;
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
 * A policy as stored in the cluster, whichever object contains it.
 *
 * @param name the policy's name
 * @param stamp a value that differs between versions, also after the policy was recreated, and
 *     between the steps of a rollout
 * @param revision the user-visible name of this version: its generation
 * @param isDefault whether it is marked as default
 * @param created its creationTimestamp, which decides between several default policies
 * @param spec the spec; empty if it could not be parsed
 * @param rolled the state of the last rollout; empty if there was none
 * @param problems the reasons why it could not be parsed completely
 * @param places converts a path in the spec to the path in the object
 * @param owner the object that contains it
 */
public record PolicySource(
    String name,
    String stamp,
    String revision,
    boolean isDefault,
    String created,
    Optional<SchedulingPolicySpec> spec,
    Optional<RolloutStatus> rolled,
    List<Problem> problems,
    UnaryOperator<String> places,
    OwnerReference owner) {

  public PolicySource {
    problems = List.copyOf(problems);
  }

  /**
   * Returns everything that prevents the policy from serving, with paths in the object that
   * contains it.
   *
   * @param compilation the result of compiling the spec; empty if there is no spec
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

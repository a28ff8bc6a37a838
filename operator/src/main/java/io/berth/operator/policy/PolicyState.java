package io.berth.operator.policy;

import io.berth.webhook.error.Problem;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The state of a policy.
 *
 * @param name the policy's name
 * @param owner the object that contains the policy
 * @param latest the current revision in the cluster
 * @param serving the revision that the engine serves; empty if no revision ever compiled, or the
 *     engine has not loaded one yet
 * @param since the time at which the engine loaded the serving revision
 * @param problems the reasons why the latest revision cannot serve; empty if it can
 * @param isDefault whether it serves the pods that name no policy
 * @param otherDefault another policy that is marked default: the one that serves instead of this
 *     one, or the one that this one takes precedence over
 */
public record PolicyState(
    String name,
    OwnerReference owner,
    String latest,
    Optional<String> serving,
    Optional<Instant> since,
    List<Problem> problems,
    boolean isDefault,
    Optional<String> otherDefault) {

  public PolicyState {
    problems = List.copyOf(problems);
  }
}

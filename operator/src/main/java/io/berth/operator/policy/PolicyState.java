package io.berth.operator.policy;

import io.berth.webhook.error.Problem;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The state of a policy.
 *
 * @param owner the object that the policy is written in
 * @param latest the revision that is written
 * @param serving the revision that the engine serves; empty where none ever compiled, or the engine
 *     has not taken one yet
 * @param since when the engine took that revision
 * @param problems why the latest revision cannot serve; empty where it can
 * @param isDefault whether it serves the pods that name no policy
 * @param otherDefault the other policy that is marked default and serves instead of this one, or is
 *     left out for this one
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

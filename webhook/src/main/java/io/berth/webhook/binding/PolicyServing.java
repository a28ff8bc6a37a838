package io.berth.webhook.binding;

import io.berth.webhook.error.Problem;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Optional;

/** The policies that the engine can use. Thread-safe. */
public interface PolicyServing {

  /**
   * Returns the reason why the current version of a policy cannot be used; empty if it can.
   *
   * @param policy a SchedulingPolicy, or a ConfigMap with a legacy policy
   */
  Optional<Problem> flaw(HasMetadata policy);

  /** Returns whether an earlier revision of a policy is served in place of one that cannot be. */
  boolean hasLastGood(String uid);

  /** Every policy can be served. */
  static PolicyServing always() {
    return new PolicyServing() {
      @Override
      public Optional<Problem> flaw(HasMetadata policy) {
        return Optional.empty();
      }

      @Override
      public boolean hasLastGood(String uid) {
        return true;
      }
    };
  }
}

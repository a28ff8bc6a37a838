package io.berth.webhook.binding;

import io.berth.webhook.error.Problem;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Optional;

/** Reports which policies the engine can use. Thread-safe. */
public interface PolicyServing {

  /**
   * Returns the reason why the current version of a policy cannot be used; empty if it can.
   *
   * @param policy a SchedulingPolicy, or a ConfigMap with a legacy policy
   */
  Optional<Problem> flaw(HasMetadata policy);

  /**
   * Returns whether the engine uses an earlier revision of a policy whose current revision is
   * invalid.
   */
  boolean hasLastGood(String uid);

  /** Returns an implementation for which every policy is usable. */
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

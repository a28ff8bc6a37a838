package io.berth.operator.policy;

import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.webhook.error.Problem;
import io.fabric8.kubernetes.api.model.ConfigMap;
import java.util.List;
import java.util.Optional;

/** Checks a legacy policy in a ConfigMap as the running operator does. */
public final class LegacyCheck {

  private LegacyCheck() {}

  /** Returns everything that prevents the policy from serving; empty if it can serve. */
  public static List<Problem> problems(ConfigMap legacy) {
    PolicySource source = PolicySources.of(legacy);
    Optional<PolicyCompilation> compilation =
        source
            .spec()
            .map(spec -> new PolicyCompiler().compile(source.name(), source.revision(), spec));
    return source.problemsOf(compilation);
  }
}

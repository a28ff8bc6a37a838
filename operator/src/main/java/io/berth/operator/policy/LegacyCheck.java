package io.berth.operator.policy;

import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.webhook.error.Problem;
import io.berth.webhook.legacy.LegacyPolicies;
import io.berth.webhook.legacy.LegacyTranslation;
import io.fabric8.kubernetes.api.model.ConfigMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Checks a legacy policy in a ConfigMap as the running operator does. */
public final class LegacyCheck {

  private LegacyCheck() {}

  /**
   * Returns what a policy that can serve leaves out or changes, each with its place and one line.
   */
  public static List<String> remarks(ConfigMap legacy) {
    if (legacy.getData() == null || legacy.getData().size() != 1) {
      return List.of();
    }
    Map.Entry<String, String> file = legacy.getData().entrySet().iterator().next();
    return LegacyPolicies.translate(file.getValue())
            instanceof LegacyTranslation.Translated translated
        ? translated.remarks().stream()
            .map(remark -> "data[%s].%s".formatted(file.getKey(), remark.text()))
            .toList()
        : List.of();
  }

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

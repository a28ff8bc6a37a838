package io.berth.operator.policy;

import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.legacy.LegacyPolicies;
import io.berth.webhook.legacy.LegacyTranslation;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads policies from the objects they are written in. */
final class PolicySources {

  private PolicySources() {}

  static PolicySource of(SchedulingPolicy policy) {
    String generation =
        String.valueOf(Optional.ofNullable(policy.getMetadata().getGeneration()).orElse(0L));
    List<Problem> problems =
        policy.getSpec() == null
            ? List.of(
                new Problem(
                    ErrorCode.POLICY_INVALID,
                    "spec",
                    "is missing: write spec: {} for the default set"))
            : List.of();
    return new PolicySource(
        policy.getMetadata().getName(),
        policy.getMetadata().getUid() + "@" + generation,
        generation,
        policy.getSpec() != null && policy.getSpec().isDefault(),
        Optional.ofNullable(policy.getMetadata().getCreationTimestamp()).orElse(""),
        Optional.ofNullable(policy.getSpec()),
        problems,
        owner(policy));
  }

  /**
   * A ConfigMap that holds one file in the old Kubernetes {@code kind: Policy} format, under any
   * key.
   */
  static PolicySource of(ConfigMap legacy) {
    Map<String, String> data = legacy.getData() == null ? Map.of() : legacy.getData();
    Optional<SchedulingPolicySpec> spec = Optional.empty();
    List<Problem> problems = List.of();
    if (data.size() != 1) {
      problems =
          List.of(
              new Problem(
                  ErrorCode.LEGACY_POLICY_FORMAT,
                  "data",
                  "holds %d entries: keep one, with the JSON of a kind: Policy"
                      .formatted(data.size())));
    } else {
      Map.Entry<String, String> file = data.entrySet().iterator().next();
      switch (LegacyPolicies.translate(file.getValue())) {
        case LegacyTranslation.Translated(SchedulingPolicySpec translated) ->
            spec = Optional.of(translated);
        case LegacyTranslation.Untranslatable(List<Problem> found) ->
            problems =
                found.stream()
                    .map(
                        problem ->
                            new Problem(
                                problem.code(),
                                "data[" + file.getKey() + "]." + problem.path(),
                                problem.message()))
                    .toList();
      }
    }
    String version = String.valueOf(legacy.getMetadata().getResourceVersion());
    return new PolicySource(
        legacy.getMetadata().getName(),
        legacy.getMetadata().getUid() + "@" + version,
        "configmap-" + version,
        false,
        Optional.ofNullable(legacy.getMetadata().getCreationTimestamp()).orElse(""),
        spec,
        problems,
        owner(legacy));
  }

  static OwnerReference owner(HasMetadata object) {
    return new OwnerReferenceBuilder()
        .withApiVersion(object.getApiVersion())
        .withKind(object.getKind())
        .withName(object.getMetadata().getName())
        .withUid(object.getMetadata().getUid())
        .build();
  }
}

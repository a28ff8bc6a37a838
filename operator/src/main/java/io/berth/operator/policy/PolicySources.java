package io.berth.operator.policy;

import io.berth.crds.SchedulingPolicy;
import io.berth.engine.policy.PolicyProblem;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import java.util.List;
import java.util.Optional;

/** Reads policies from the objects they are written in. */
final class PolicySources {

  private PolicySources() {}

  static PolicySource of(SchedulingPolicy policy) {
    String generation =
        String.valueOf(Optional.ofNullable(policy.getMetadata().getGeneration()).orElse(0L));
    List<PolicyProblem> problems =
        policy.getSpec() == null
            ? List.of(new PolicyProblem("spec", "is missing: write spec: {} for the default set"))
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

  static OwnerReference owner(HasMetadata object) {
    return new OwnerReferenceBuilder()
        .withApiVersion(object.getApiVersion())
        .withKind(object.getKind())
        .withName(object.getMetadata().getName())
        .withUid(object.getMetadata().getUid())
        .build();
  }
}

package io.berth.operator.policy;

import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingPolicyStatus;
import io.berth.crds.rollout.RolloutStatus;
import io.berth.operator.feed.ClusterFeed;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.legacy.LegacyObject;
import io.berth.webhook.rollout.Rollouts;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Reads policies from the objects that contain them. */
public final class PolicySources {

  private PolicySources() {}

  /**
   * Returns all policies; a SchedulingPolicy takes precedence over a legacy policy of the same
   * name.
   */
  public static List<PolicySource> in(ClusterFeed feed) {
    List<PolicySource> sources = new ArrayList<>();
    Set<String> names = new HashSet<>();
    feed.policies().forEach(policy -> sources.add(of(policy)));
    sources.forEach(source -> names.add(source.name()));
    feed.legacyPolicies().stream()
        .map(PolicySources::of)
        .filter(source -> names.add(source.name()))
        .forEach(sources::add);
    return sources;
  }

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
    Optional<RolloutStatus> rolled =
        Optional.ofNullable(policy.getStatus()).map(SchedulingPolicyStatus::rollout);
    return new PolicySource(
        policy.getMetadata().getName(),
        policy.getMetadata().getUid()
            + "@"
            + generation
            + "/"
            + Rollouts.stamp(rolled.orElse(null)),
        generation,
        policy.getSpec() != null && policy.getSpec().isDefault(),
        Optional.ofNullable(policy.getMetadata().getCreationTimestamp()).orElse(""),
        Optional.ofNullable(policy.getSpec()),
        rolled,
        problems,
        UnaryOperator.identity(),
        owner(policy));
  }

  /**
   * Reads a ConfigMap that contains one file in the legacy Kubernetes {@code kind: Policy} format,
   * under any key.
   */
  static PolicySource of(ConfigMap legacy) {
    Map<String, String> annotations = legacy.getMetadata().getAnnotations();
    LegacyObject read =
        LegacyObject.of(
            legacy.getData() == null ? Map.of() : legacy.getData(),
            annotations == null ? Map.of() : annotations);
    String version = String.valueOf(legacy.getMetadata().getResourceVersion());
    return new PolicySource(
        legacy.getMetadata().getName(),
        legacy.getMetadata().getUid() + "@" + version,
        "configmap-" + version,
        false,
        Optional.ofNullable(legacy.getMetadata().getCreationTimestamp()).orElse(""),
        read.spec(),
        Optional.empty(),
        read.problems(),
        read::placeOf,
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

package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulingPolicy;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.engine.whatif.Hypothesis;
import io.berth.engine.whatif.Mirror;
import io.berth.engine.whatif.PlacementAnswer;
import io.berth.engine.whatif.PlacementQuestion;
import io.berth.engine.whatif.WhatIf;
import io.berth.operator.whatif.MirrorBusyException;
import io.berth.operator.whatif.MirrorThread;
import io.berth.webhook.binding.ConfigCatalog;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Answers PlacementReviews: where pods would be placed, on the mirror of this replica. */
final class PlacementReviews {
  /** The name of a policy that is only in a review; no policy can have it. */
  private static final String REVIEWED_POLICY = "(of the review)";

  private final MirrorThread mirrors;
  private final ReviewedPod pods;
  private final Supplier<ConfigCatalog> catalog;
  private final Set<String> schedulerNames;
  private final Clock clock;
  private final PolicyCompiler compiler = new PolicyCompiler();
  private final KubernetesSerialization serialization = new KubernetesSerialization();

  PlacementReviews(
      MirrorThread mirrors,
      ReviewedPod pods,
      Supplier<ConfigCatalog> catalog,
      Set<String> schedulerNames,
      Clock clock) {
    this.mirrors = mirrors;
    this.pods = pods;
    this.catalog = catalog;
    this.schedulerNames = schedulerNames;
    this.clock = clock;
  }

  /** An answer from the mirror's thread, or the failure to give one. */
  private record Outcome(Optional<ObjectNode> status, Optional<ApiException> failure) {}

  /**
   * Returns the review with its status.
   *
   * @param namesNodes whether the user may list nodes
   * @throws ApiException if the review is invalid, or cannot be answered now
   */
  ObjectNode answer(
      ApiUser user, String namespace, ObjectNode review, ReviewSpec spec, boolean namesNodes)
      throws ApiException {
    ReviewStatus writer = new ReviewStatus(namespace, namesNodes);
    Outcome outcome;
    try {
      outcome =
          mirrors.ask(
              user.name(),
              (mirror, expired) -> {
                try {
                  return new Outcome(
                      Optional.of(status(namespace, spec, writer, mirror, expired)),
                      Optional.empty());
                } catch (ApiException e) {
                  return new Outcome(Optional.empty(), Optional.of(e));
                }
              });
    } catch (MirrorBusyException e) {
      throw new ApiException(e.isOfUser() ? 429 : 503, String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ApiException(503, "this replica is shutting down; try again");
    } catch (RuntimeException e) {
      throw new ApiException(500, "the review failed; see Berth's log: " + e);
    }
    if (outcome.failure().isPresent()) {
      throw outcome.failure().get();
    }
    ObjectNode answered = review.deepCopy();
    answered.withObject("/metadata").put("namespace", namespace);
    answered.withObject("/metadata").put("creationTimestamp", clock.instant().toString());
    answered.set("status", outcome.status().orElseThrow());
    return answered;
  }

  private ObjectNode status(
      String namespace,
      ReviewSpec spec,
      ReviewStatus writer,
      Mirror mirror,
      BooleanSupplier expired)
      throws ApiException {
    Instant now = clock.instant();
    PodModel pod;
    List<String> warnings = List.of();
    List<PodRef> removed = new ArrayList<>();
    for (String name : spec.removedPods()) {
      removed.add(existing(mirror, namespace, name, "spec.removePods").ref());
    }
    if (spec.template().isEmpty()) {
      pod = existing(mirror, namespace, spec.podName(), "spec.podName");
      removed.add(pod.ref());
    } else {
      switch (pods.render(namespace, spec.template().get(), catalog.get(), mirror::priority, now)) {
        case ReviewedPod.Result.Denied denied -> {
          return ReviewStatus.refused("Denied", denied.message());
        }
        case ReviewedPod.Result.Created created -> {
          pod = created.pod();
          warnings = created.warnings();
        }
      }
    }
    if (!schedulerNames.contains(pod.schedulerName())) {
      return ReviewStatus.refused(
          "OtherScheduler",
          "the pod is placed by scheduler \"%s\", and not by Berth: no binding gives it a policy, and it does not name one"
              .formatted(pod.schedulerName()));
    }
    Optional<CompiledPolicy> policy = policy(spec);
    if (policy.isPresent()) {
      pod = pod.withPolicy(REVIEWED_POLICY);
    } else if (!spec.policyName().isEmpty()) {
      if (!mirror.serves(spec.policyName())) {
        throw ReviewSpec.invalid(
            "spec.policy.name", "there is no usable SchedulingPolicy " + spec.policyName());
      }
      pod = pod.withPolicy(spec.policyName());
    }
    Hypothesis hypothesis =
        new Hypothesis(
            added(mirror, spec),
            known(mirror, spec.removedNodes(), "spec.nodes.remove"),
            known(mirror, spec.drainedNodes(), "spec.nodes.drain"),
            removed,
            policy);
    PlacementAnswer answer =
        WhatIf.answer(
            mirror,
            new PlacementQuestion(pod, spec.replicas(), spec.max(), hypothesis),
            now,
            expired);
    ObjectNode status = writer.of(spec, pod, answer);
    if (!warnings.isEmpty()) {
      warnings.forEach(status.putArray("warnings")::add);
    }
    return status;
  }

  private static PodModel existing(Mirror mirror, String namespace, String name, String path)
      throws ApiException {
    return mirror
        .pod(namespace, name)
        .orElseThrow(
            () ->
                ReviewSpec.invalid(
                    path, "there is no pod %s in namespace %s".formatted(name, namespace)));
  }

  private static Set<String> known(Mirror mirror, Set<String> names, String path)
      throws ApiException {
    for (String name : names) {
      if (mirror.node(name).isEmpty()) {
        throw ReviewSpec.invalid(path, "there is no node " + name);
      }
    }
    return names;
  }

  private static List<NodeModel> added(Mirror mirror, ReviewSpec spec) throws ApiException {
    List<NodeModel> nodes = new ArrayList<>();
    for (ReviewSpec.AddedNodes wanted : spec.addedNodes()) {
      NodeModel like =
          mirror
              .node(wanted.like())
              .orElseThrow(
                  () -> ReviewSpec.invalid("spec.nodes.add", "there is no node " + wanted.like()));
      for (int i = 0; i < wanted.count(); i++) {
        nodes.add(
            Hypothesis.nodeLike(like, "%s (added %d)".formatted(like.name(), nodes.size() + 1)));
      }
    }
    return nodes;
  }

  private Optional<CompiledPolicy> policy(ReviewSpec spec) throws ApiException {
    if (!spec.policySpec().isObject()) {
      return Optional.empty();
    }
    try {
      SchedulingPolicy policy =
          serialization.convertValue(object(spec.policySpec()), SchedulingPolicy.class);
      return switch (compiler.compile(REVIEWED_POLICY, "review", policy.getSpec())) {
        case PolicyCompilation.Compiled(CompiledPolicy compiled) -> Optional.of(compiled);
        case PolicyCompilation.Invalid(var problems) ->
            throw ReviewSpec.invalid(
                "spec.policy." + problems.getFirst().path(), problems.getFirst().message());
      };
    } catch (IllegalArgumentException e) {
      throw ReviewSpec.invalid("spec.policy.spec", String.valueOf(e.getMessage()));
    }
  }

  private static ObjectNode object(JsonNode policySpec) {
    ObjectNode policy = QueryApi.object("SchedulingPolicy");
    policy.put("apiVersion", "sched.cloud.ctrip.com/v1");
    policy.set("spec", policySpec);
    return policy;
  }
}

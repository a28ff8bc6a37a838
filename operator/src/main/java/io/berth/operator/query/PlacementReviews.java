package io.berth.operator.query;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.whatif.Hypothesis;
import io.berth.engine.whatif.Mirror;
import io.berth.engine.whatif.PlacementAnswer;
import io.berth.engine.whatif.PlacementQuestion;
import io.berth.engine.whatif.WhatIf;
import io.berth.webhook.binding.ConfigCatalog;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Answers PlacementReviews: where pods would be placed, on the mirror of this replica. */
final class PlacementReviews {
  private final MirrorAnswers mirrors;
  private final ReviewedPod pods;
  private final Supplier<ConfigCatalog> catalog;
  private final Set<String> schedulerNames;
  private final Clock clock;

  PlacementReviews(
      MirrorAnswers mirrors,
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

  /**
   * Returns the status of a review.
   *
   * @param namesNodes whether the user may list nodes
   * @throws ApiException if the review is invalid, or cannot be answered now
   */
  ObjectNode answer(ApiUser user, String namespace, ReviewSpec spec, boolean namesNodes)
      throws ApiException {
    ReviewStatus writer = new ReviewStatus(namespace, namesNodes);
    return mirrors.ask(
        user,
        () -> {
          ConfigCatalog known = catalog(spec);
          List<String> doubts = learnOwner(namespace, spec, known);
          return (mirror, expired) ->
              status(namespace, spec, known, doubts, writer, mirror, expired);
        });
  }

  /** Looks up the owner that a pod names, as admission does; returns why it may be wrong. */
  private static List<String> learnOwner(String namespace, ReviewSpec spec, ConfigCatalog known) {
    return spec.template().stream()
        .map(template -> ReviewedPod.subject(namespace, template))
        .flatMap(pod -> Stream.of(known.learnRoot(pod), known.learnOwnerSize(pod)))
        .flatMap(Optional::stream)
        .map("the owner of the pod may be wrong: "::concat)
        .toList();
  }

  private ObjectNode status(
      String namespace,
      ReviewSpec spec,
      ConfigCatalog known,
      List<String> doubts,
      ReviewStatus writer,
      Mirror mirror,
      BooleanSupplier expired)
      throws ApiException {
    Instant now = clock.instant();
    PodModel pod;
    List<String> warnings = new ArrayList<>();
    List<PodRef> removed = new ArrayList<>();
    for (String name : spec.removedPods()) {
      removed.add(existing(mirror, namespace, name, "spec.removePods").ref());
    }
    if (spec.template().isEmpty()) {
      pod = existing(mirror, namespace, spec.podName(), "spec.podName");
      removed.add(pod.ref());
    } else {
      switch (pods.render(namespace, spec.template().get(), known, mirror::priorityClass, now)) {
        case ReviewedPod.Result.Denied denied -> {
          return ReviewStatus.refused("Denied", denied.message());
        }
        case ReviewedPod.Result.Created created -> {
          pod = created.pod();
          warnings.addAll(created.warnings());
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
      pod = pod.withPolicy(ReviewedPolicy.NAME);
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
    warnings.addAll(doubts);
    if (!warnings.isEmpty()) {
      warnings.forEach(status.putArray("warnings")::add);
    }
    return status;
  }

  /** Returns the catalog, in which the workload of the review is the owner of its pods. */
  private ConfigCatalog catalog(ReviewSpec spec) {
    ConfigCatalog known = catalog.get();
    return spec.workload().map(known::withOwners).orElse(known);
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

  private static Optional<CompiledPolicy> policy(ReviewSpec spec) throws ApiException {
    return spec.policySpec().isObject()
        ? Optional.of(ReviewedPolicy.of("PlacementReview", spec.policySpec()).compiled())
        : Optional.empty();
  }
}

package io.berth.engine.whatif;

import io.berth.engine.api.Decision;
import io.berth.engine.decision.DecisionRecord;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.whatif.PlacementAnswer.Displaced;
import io.berth.engine.whatif.PlacementAnswer.NotPlaced;
import io.berth.engine.whatif.PlacementAnswer.Placement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * The answer to one question, on a mirror that is afterwards as it was before. The pods are decided
 * in the engine's own way: by priority, with preemption, and as groups where they are groups.
 */
public final class WhatIf {
  /** The order in which pods of drained nodes come again, so that an answer can be repeated. */
  private static final Comparator<PodModel> BY_CREATION =
      Comparator.comparing(PodModel::createdAt)
          .thenComparing(pod -> pod.ref().namespace())
          .thenComparing(pod -> pod.ref().name());

  private final Mirror mirror;
  private final PlacementQuestion question;
  private final Instant now;
  private final BooleanSupplier expired;
  private final Trial trial;
  private final TrialRun run;
  private final List<PodRef> asked = new ArrayList<>();
  private final List<PodModel> displaced = new ArrayList<>();
  private int others;

  /** The number of copies, from the first on, that have been decided. */
  private int decided;

  private WhatIf(
      Mirror mirror,
      PlacementQuestion question,
      Instant now,
      BooleanSupplier expired,
      Trial trial) {
    this.mirror = mirror;
    this.question = question;
    this.now = now;
    this.expired = expired;
    this.trial = trial;
    this.run = new TrialRun(mirror, trial, now, expired);
  }

  /**
   * Answers a question.
   *
   * @param now the time of the answer
   * @param expired returns whether the time has run out: the answer then contains what is known
   * @throws io.berth.engine.api.EngineFailedException if the mirror has failed: discard it. The
   *     same holds for every other exception
   */
  public static PlacementAnswer answer(
      Mirror mirror, PlacementQuestion question, Instant now, BooleanSupplier expired) {
    try (Trial trial = new Trial(mirror, now)) {
      return new WhatIf(mirror, question, now, expired, trial).answer();
    } finally {
      mirror.forgetEvictions();
    }
  }

  private PlacementAnswer answer() {
    PoolUsages usages = new PoolUsages(mirror, question.pod());
    suppose();
    if (question.whileTheyFit()) {
      placeWhileTheyFit();
    } else {
      for (int i = 0; i < question.replicas(); i++) {
        addCopy();
      }
    }
    run.run(() -> areDecided() && isDisplacedDecided());
    List<Placement> placements = placements();
    List<PodModel> moved = moved();
    Optional<NotPlaced> notPlaced =
        question.whileTheyFit() && !placements.isEmpty() ? Optional.empty() : notPlaced();
    PoolUsage usage = usages.after(placements, moved);
    List<FitChange> changes = notPlaced.map(this::changes).orElse(List.of());
    return new PlacementAnswer(
        placements,
        notPlaced,
        undecided(placements.size(), notPlaced.isPresent()),
        new Displaced(displaced.size(), moved.size(), others),
        usage,
        changes,
        run.advised(),
        run.truncated() || expired.getAsBoolean());
  }

  /**
   * Adds copies one by one until one does not fit. Displaced pods wait meanwhile, so those before
   * the copies by priority are placed before, and the others afterwards.
   */
  private void placeWhileTheyFit() {
    for (int i = 0; i < question.replicas() && !run.truncated(); i++) {
      PodRef pod = addCopy();
      run.run(() -> run.isDecided(pod));
      if (run.nodeOf(pod).isEmpty()) {
        return;
      }
    }
  }

  /**
   * Returns what would let one more copy fit. The pods that wait leave, because they would come
   * first, and the copies that are placed stay: to evict one of them would gain nothing.
   */
  private List<FitChange> changes(NotPlaced notPlaced) {
    if (question.pod().group().isPresent()) {
      return List.of();
    }
    asked.stream().filter(pod -> run.nodeOf(pod).isEmpty()).forEach(trial::remove);
    displaced.stream()
        .map(PodModel::ref)
        .filter(pod -> run.nodeOf(pod).isEmpty())
        .forEach(trial::remove);
    for (PodRef pod : asked) {
      if (run.decision(pod).orElse(null) instanceof Decision.Placed placed) {
        trial.keep(copy(pod), placed);
      }
    }
    return new FitChanges(mirror, question.pod(), notPlaced.record(), now, expired).find();
  }

  private int undecided(int placed, boolean oneNotPlaced) {
    return question.whileTheyFit() && placed > 0
        ? 0
        : question.replicas() - placed - (oneNotPlaced ? 1 : 0);
  }

  /** Makes the cluster as the question supposes it. */
  private void suppose() {
    Hypothesis hypothesis = question.hypothesis();
    hypothesis.policy().ifPresent(trial::serve);
    hypothesis.addedNodes().forEach(trial::put);
    hypothesis.removedPods().forEach(trial::remove);
    Set<String> left = new HashSet<>(hypothesis.removedNodes());
    left.addAll(hypothesis.drainedNodes());
    if (!left.isEmpty()) {
      displace(left, hypothesis.removedNodes());
    }
    hypothesis.drainedNodes().stream()
        .flatMap(name -> mirror.node(name).stream())
        .forEach(node -> trial.put(cordoned(node)));
    hypothesis.removedNodes().forEach(trial::removeNode);
  }

  private void displace(Set<String> left, Set<String> removed) {
    List<PodModel> leaving =
        mirror.pods().stream()
            .filter(pod -> left.contains(mirror.nodeOf(pod)))
            .sorted(BY_CREATION)
            .toList();
    List<PodModel> again = new ArrayList<>();
    for (PodModel pod : leaving) {
      boolean stays = pod.mirror() || pod.isOfDaemonSet();
      if (stays && !removed.contains(mirror.nodeOf(pod))) {
        continue;
      }
      trial.remove(pod.ref());
      if (stays || pod.terminating()) {
        continue;
      }
      if (mirror.schedules(pod)) {
        again.add(pod);
      } else {
        others++;
      }
    }
    for (PodModel pod : again) {
      displaced.add(pod);
      trial.place(PodVariant.of(pod).asNew().build());
    }
  }

  private static NodeModel cordoned(NodeModel node) {
    return new NodeModel(
        node.name(),
        node.uid(),
        node.labels(),
        node.taints(),
        true,
        node.allocatable(),
        node.images(),
        node.declaredFeatures(),
        node.cards());
  }

  /** Adds one more copy of the pod, under a name that no pod can have. */
  private PodRef addCopy() {
    PodRef pod = copyOf(question.pod().ref(), asked.size());
    asked.add(pod);
    trial.place(copy(pod));
    return pod;
  }

  private PodModel copy(PodRef name) {
    return PodVariant.of(question.pod()).asNew().named(name).build();
  }

  private static PodRef copyOf(PodRef pod, int number) {
    return new PodRef(
        pod.namespace(),
        pod.name() + " (" + number + ")",
        "what-if copy %d of %s".formatted(number, pod.name()));
  }

  private boolean isDisplacedDecided() {
    return displaced.stream().allMatch(pod -> run.isDecided(pod.ref()));
  }

  /**
   * Returns whether no further copy has to be tried. Copies are decided in the order in which they
   * were created, and those after one that does not fit are equal to it.
   */
  private boolean areDecided() {
    boolean together = question.pod().group().isPresent();
    while (decided < asked.size() && run.isDecided(asked.get(decided))) {
      if (!together && run.nodeOf(asked.get(decided)).isEmpty()) {
        return true;
      }
      decided++;
    }
    return decided == asked.size();
  }

  /** Returns the displaced pods that were placed, on their new nodes. */
  private List<PodModel> moved() {
    List<PodModel> moved = new ArrayList<>();
    for (PodModel pod : displaced) {
      run.nodeOf(pod.ref()).ifPresent(node -> moved.add(PodVariant.of(pod).on(node).build()));
    }
    return moved;
  }

  private List<Placement> placements() {
    List<Placement> placements = new ArrayList<>();
    for (PodRef pod : asked) {
      run.nodeOf(pod)
          .ifPresent(
              node ->
                  placements.add(
                      new Placement(
                          pod, node, run.victimsOf(pod), run.decision(pod).orElseThrow())));
    }
    return placements;
  }

  private Optional<NotPlaced> notPlaced() {
    for (PodRef pod : asked) {
      Optional<Decision> decision = run.decision(pod);
      if (decision.isPresent() && run.nodeOf(pod).isEmpty()) {
        return Optional.of(notPlaced(decision.get()));
      }
    }
    return Optional.empty();
  }

  /** Returns why a pod is not placed by a decision. */
  static NotPlaced notPlaced(Decision decision) {
    DecisionRecord record = decision.record();
    return switch (decision) {
      case Decision.Unschedulable rejected ->
          new NotPlaced(
              rejected.pod(),
              rejected.message(),
              rejected.waits(),
              Optional.of(rejected.cause()),
              rejected.wouldEvict(),
              record);
      case Decision.Quarantined failed ->
          new NotPlaced(
              failed.pod(), failed.message(), false, Optional.empty(), Optional.empty(), record);
      case Decision.GivenBack given ->
          new NotPlaced(
              given.pod(), given.message(), false, Optional.empty(), Optional.empty(), record);
      case Decision.Placed _, Decision.Nominated _ ->
          throw new IllegalArgumentException("the pod is placed: " + decision.pod());
    };
  }
}

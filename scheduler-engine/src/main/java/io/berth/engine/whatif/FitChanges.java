package io.berth.engine.whatif;

import io.berth.engine.api.Decision;
import io.berth.engine.decision.DecisionRecord;
import io.berth.engine.decision.Rejection;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PodRequests;
import io.berth.engine.model.Requirement;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.model.Taint;
import io.berth.engine.model.TaintEffect;
import io.berth.engine.model.Toleration;
import io.berth.engine.topology.ToleratedNodes;
import io.berth.rules.label.LabelOperator;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * The search for the changes of which each alone would let a pod be placed that no node fits. Each
 * change is tried on the mirror, so what is found is what the engine would decide.
 */
final class FitChanges {
  private static final Taint CORDON =
      new Taint("node.kubernetes.io/unschedulable", "", TaintEffect.NO_SCHEDULE);

  /** The most taints, labels, and kinds of nodes of which each is tried. */
  private static final int MOST_TRIED = 16;

  private final Mirror mirror;
  private final PodModel pod;
  private final DecisionRecord record;
  private final Instant now;
  private final BooleanSupplier expired;
  private int tried;

  FitChanges(
      Mirror mirror, PodModel pod, DecisionRecord record, Instant now, BooleanSupplier expired) {
    this.mirror = mirror;
    this.pod = pod;
    this.record = record;
    this.now = now;
    this.expired = expired;
  }

  /** Returns the changes, those of the pod first, then those of nodes and other pods. */
  List<FitChange> find() {
    List<FitChange> changes = new ArrayList<>();
    if (isRejectedBy("NodeResourcesFit")) {
      requests(changes);
    }
    if (isRejectedBy("TaintToleration")) {
      taints(changes);
    }
    if (isRejectedBy("NodeUnschedulable")) {
      nodeOf(PodVariant.of(pod).tolerations(with(CORDON)).build())
          .ifPresent(node -> changes.add(new FitChange.Uncordon(node)));
    }
    if (isRejectedBy("NodeAffinity")) {
      labels(changes);
    }
    eviction().ifPresent(changes::add);
    addedNode().ifPresent(changes::add);
    return changes;
  }

  private boolean isRejectedBy(String plugin) {
    return record.rejections().stream()
        .map(Rejection::plugin)
        .anyMatch(names -> List.of(names.split(",")).contains(plugin));
  }

  // ------------------------------------------------------------------------------- the pod itself

  private void requests(List<FitChange> changes) {
    ResourceAmounts asked = pod.spec().requests().asked();
    for (int i = 0; i < asked.size(); i++) {
      String resource = asked.name(i);
      if (asked.amount(i) > 0 && nodeOf(asking(resource, 0)).isPresent()) {
        OptionalLong most = mostThatFits(resource, asked.amount(i));
        if (most.isPresent()) {
          long to = most.getAsLong();
          nodeOf(asking(resource, to))
              .ifPresent(
                  node ->
                      changes.add(
                          new FitChange.RequestLess(resource, asked.amountOf(resource), to, node)));
        }
      }
    }
  }

  /**
   * Returns the largest request that fits: the most that is free on a node, or less, by bisection;
   * empty if nothing is free, or if the time runs out before.
   */
  private OptionalLong mostThatFits(String resource, long tooMuch) {
    long step = stepOf(resource);
    long free = Math.min(tooMuch, mostFree(resource)) / step * step;
    if (free > 0 && nodeOf(asking(resource, free)).isPresent()) {
      return OptionalLong.of(free);
    }
    long fits = 0;
    long over = (free + step - 1) / step;
    while (over - fits > 1) {
      if (expired.getAsBoolean()) {
        return OptionalLong.empty();
      }
      long middle = fits + (over - fits) / 2;
      if (nodeOf(asking(resource, middle * step)).isPresent()) {
        fits = middle;
      } else {
        over = middle;
      }
    }
    return fits == 0 ? OptionalLong.empty() : OptionalLong.of(fits * step);
  }

  /** Returns the most of a resource that is free on a node that the pod may use. */
  private long mostFree(String resource) {
    return mirror.nodes().stream()
        .filter(node -> PoolUsages.mayUse(pod.spec(), node))
        .mapToLong(
            node -> node.allocatable().amountOf(resource) - mirror.uses().of(node.name(), resource))
        .max()
        .orElse(0);
  }

  /** Returns the precision of a request: a MiB of what is measured in bytes. */
  private static long stepOf(String resource) {
    return resource.equals(ResourceAmounts.MEMORY)
            || resource.equals(ResourceAmounts.EPHEMERAL_STORAGE)
            || resource.startsWith("hugepages-")
        ? 1 << 20
        : 1;
  }

  private PodModel asking(String resource, long amount) {
    PodRequests before = pod.spec().requests();
    PodRequests less =
        new PodRequests(
            with(before.asked(), resource, amount),
            with(before.held(), resource, amount),
            with(before.scored(), resource, amount),
            before.scoredMilliCpu(),
            before.scoredMemoryBytes(),
            before.heldScoredMilliCpu(),
            before.heldScoredMemoryBytes());
    return PodVariant.of(pod).requests(less).build();
  }

  private static ResourceAmounts with(ResourceAmounts amounts, String resource, long amount) {
    Map<String, Long> changed = new HashMap<>();
    for (int i = 0; i < amounts.size(); i++) {
      if (!amounts.name(i).equals(resource)) {
        changed.put(amounts.name(i), amounts.amount(i));
      } else if (amount > 0) {
        changed.put(resource, amount);
      }
    }
    return ResourceAmounts.of(changed);
  }

  private void taints(List<FitChange> changes) {
    Set<Taint> taints = new LinkedHashSet<>();
    for (NodeModel node : mirror.nodes()) {
      for (Taint taint : node.taints()) {
        if (taint.effect() != TaintEffect.PREFER_NO_SCHEDULE
            && !taint.key().equals(CORDON.key())
            && !ToleratedNodes.covers(pod.spec().tolerations(), taint)) {
          taints.add(taint);
        }
      }
    }
    taints.stream()
        .sorted(Comparator.comparing(Taint::key).thenComparing(Taint::value))
        .limit(MOST_TRIED)
        .forEach(
            taint ->
                nodeOf(PodVariant.of(pod).tolerations(with(taint)).build())
                    .ifPresent(node -> changes.add(new FitChange.ToleratesTaint(taint, node))));
  }

  private List<Toleration> with(Taint taint) {
    List<Toleration> tolerations = new ArrayList<>(pod.spec().tolerations());
    tolerations.add(new Toleration(taint.key(), false, taint.value(), Optional.of(taint.effect())));
    return tolerations;
  }

  private void labels(List<FitChange> changes) {
    NodeSelection selection = pod.spec().nodes();
    selection.nodeSelector().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .limit(MOST_TRIED)
        .forEach(
            required -> {
              Map<String, String> others = new LinkedHashMap<>(selection.nodeSelector());
              others.remove(required.getKey());
              nodeOf(selecting(others, selection.required()))
                  .ifPresent(
                      node ->
                          changes.add(
                              new FitChange.Label(required.getKey(), required.getValue(), node)));
            });
    List<NodeTerm> terms = selection.required().orElse(List.of());
    if (terms.size() != 1) {
      return; // none of several alternatives is the one to change
    }
    NodeTerm term = terms.getFirst();
    for (Requirement required : term.expressions()) {
      List<Requirement> others = new ArrayList<>(term.expressions());
      others.remove(required);
      Optional<List<NodeTerm>> rest =
          others.isEmpty() && term.fields().isEmpty()
              ? Optional.empty()
              : Optional.of(List.of(new NodeTerm(others, term.fields(), term.malformed())));
      nodeOf(selecting(selection.nodeSelector(), rest))
          .ifPresent(
              node -> changes.add(new FitChange.Label(required.key(), value(required), node)));
    }
  }

  private static String value(Requirement required) {
    return required.operator() == LabelOperator.IN && required.values().size() == 1
        ? required.values().getFirst()
        : "";
  }

  private PodModel selecting(Map<String, String> labels, Optional<List<NodeTerm>> required) {
    return PodVariant.of(pod)
        .nodes(new NodeSelection(labels, required, pod.spec().nodes().preferred()))
        .build();
  }

  // -------------------------------------------------------------------- other pods, and more nodes

  /** Returns the eviction that would suffice, of a pod that the policy allows to evict at all. */
  private Optional<FitChange> eviction() {
    try (Trial trial = new Trial(mirror, now)) {
      PodRef ref = nextRef();
      TrialRun run = new TrialRun(mirror, trial, now, expired);
      trial.place(PodVariant.of(pod).asNew().named(ref).mostImportant().build());
      run.run(() -> run.decision(ref).isPresent());
      List<PodRef> victims = run.victimsOf(ref);
      return victims.size() == 1
          ? run.nodeOf(ref).map(node -> new FitChange.Evict(victims.getFirst(), node))
          : Optional.empty();
    }
  }

  /** Returns the smallest existing kind of node of which one more would suffice. */
  private Optional<FitChange> addedNode() {
    for (NodeModel like : NodeKinds.of(pod.spec(), mirror.nodes(), MOST_TRIED)) {
      try (Trial trial = new Trial(mirror, now)) {
        trial.put(Hypothesis.nodeLike(like, like.name() + " (added)"));
        if (decide(trial, pod).flatMap(FitChanges::nodeOf).isPresent()) {
          return Optional.of(new FitChange.AddNode(like));
        }
      }
    }
    return Optional.empty();
  }

  // ---------------------------------------------------------------------------------------- trials

  /** Returns the node where a variant of the pod would be placed without evictions. */
  private Optional<String> nodeOf(PodModel variant) {
    if (expired.getAsBoolean()) {
      return Optional.empty();
    }
    try (Trial trial = new Trial(mirror, now)) {
      return decide(trial, variant).flatMap(FitChanges::nodeOf);
    }
  }

  private static Optional<String> nodeOf(Decision decision) {
    return decision instanceof Decision.Placed placed
        ? Optional.of(placed.nodeName())
        : Optional.empty();
  }

  private Optional<Decision> decide(Trial trial, PodModel variant) {
    PodRef ref = nextRef();
    TrialRun run = new TrialRun(mirror, trial, now, expired);
    trial.place(PodVariant.of(variant).asNew().named(ref).build());
    run.run(() -> run.decision(ref).isPresent());
    return run.victimsOf(ref).isEmpty() ? run.decision(ref) : Optional.empty();
  }

  private PodRef nextRef() {
    tried++;
    return new PodRef(
        pod.ref().namespace(),
        "%s (change %d)".formatted(pod.ref().name(), tried),
        "what-if change %d of %s".formatted(tried, pod.ref().name()));
  }
}

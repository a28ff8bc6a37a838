package io.berth.engine.whatif;

import io.berth.engine.api.Decision;
import io.berth.engine.api.WaitCause;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.whatif.PlacementAnswer.NotPlaced;
import io.berth.engine.whatif.PolicyAnswer.Change;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * The answer to a question about a changed policy or config, on a mirror that is afterwards as it
 * was before.
 *
 * <p>A pod that the change would leave on its node is not affected. Every other pod is placed as it
 * would be today as well: only a difference between both is an effect of the change. Both decisions
 * prefer the pod's own node among those with equal scores.
 */
public final class PolicyTrial {
  /** The most pods that are described for each effect. */
  private static final int MOST_DESCRIBED = 100;

  /** The number of pods that are looked at before the time is looked at again. */
  private static final int ASKED_AT_ONCE = 256;

  private static final Fate NOWHERE = new Fate("", List.of(), Optional.empty());

  private final Mirror mirror;
  private final String namespace;
  private final Function<PodModel, PodChange> changeOf;
  private final Instant now;
  private final BooleanSupplier expired;
  private final Map<PolicyEffect, Integer> effects = new EnumMap<>(PolicyEffect.class);
  private final Map<PolicyEffect, List<Change>> changes = new EnumMap<>(PolicyEffect.class);
  private final Set<PodRef> victims = new LinkedHashSet<>();
  private int notTried;
  private int unknownOrigin;
  private boolean advised;

  /** True if the time ran out before it was known which pods the change concerns. */
  private boolean cutShort;

  private PolicyTrial(
      Mirror mirror,
      String namespace,
      Function<PodModel, PodChange> changeOf,
      Instant now,
      BooleanSupplier expired) {
    this.mirror = mirror;
    this.namespace = namespace;
    this.changeOf = changeOf;
    this.now = now;
    this.expired = expired;
  }

  /**
   * Answers a question.
   *
   * @param now the time of the answer
   * @param expired returns whether the time has run out: the answer then contains what is known
   * @throws io.berth.engine.api.EngineFailedException if the mirror has failed: discard it. The
   *     same holds for every other exception
   */
  public static PolicyAnswer answer(
      Mirror mirror, ChangeQuestion question, Instant now, BooleanSupplier expired) {
    return switch (question) {
      case PolicyQuestion policy -> answer(mirror, policy, now, expired);
      case RenderingQuestion(String namespace, Function<PodModel, PodChange> changes) ->
          new PolicyTrial(mirror, namespace, changes, now, expired).answer();
    };
  }

  private static PolicyAnswer answer(
      Mirror mirror, PolicyQuestion question, Instant now, BooleanSupplier expired) {
    String defaultToday = mirror.defaultPolicy();
    try (Trial trial = new Trial(mirror, now)) {
      trial.serve(question.policy());
      if (question.defaultAfter().isEmpty() && !mirror.defaultPolicy().isEmpty()) {
        trial.setDefault(""); // the built-in policy has no name by which pods could be placed
      }
      return new PolicyTrial(
              mirror,
              question.namespace(),
              pod -> change(pod, question, defaultToday),
              now,
              expired)
          .answer();
    }
  }

  private static PodChange change(PodModel pod, PolicyQuestion question, String defaultToday) {
    if (question.denied().test(pod)) {
      return new PodChange.Denied("the quota guard would deny its PriorityClass in this namespace");
    }
    String today = pod.policy().isEmpty() ? defaultToday : pod.policy();
    String after = pod.policy().isEmpty() ? question.defaultAfter() : pod.policy();
    if (!today.equals(question.name()) && !after.equals(question.name())) {
      return new PodChange.NotConcerned();
    }
    String served = after.equals(question.name()) ? question.policy().name() : after;
    return new PodChange.Changed(
        PodVariant.of(pod).policy(today).build(), PodVariant.of(pod).policy(served).build());
  }

  /**
   * The fate of a pod that is created.
   *
   * @param node empty if it is not placed
   */
  private record Fate(String node, List<PodRef> victims, Optional<NotPlaced> notPlaced) {
    boolean isPlaced() {
      return !node.isEmpty();
    }

    boolean isRefused() {
      return notPlaced
          .flatMap(NotPlaced::cause)
          .filter(
              cause -> cause == WaitCause.POLICY_NOT_ALLOWED || cause == WaitCause.POLICY_MISSING)
          .isPresent();
    }
  }

  private PolicyAnswer answer() {
    List<Concerned> pods = concerned();
    int done = 0;
    while (done < pods.size() && tryAlone(pods.get(done))) {
      done++;
    }
    List<Change> described = new ArrayList<>();
    changes.values().forEach(described::addAll);
    return new PolicyAnswer(
        pods.size(),
        notTried,
        unknownOrigin,
        effects,
        described.stream().limit(MOST_DESCRIBED).toList(),
        List.copyOf(victims),
        advised,
        cutShort || done < pods.size());
  }

  /** A pod that the change concerns. */
  private record Concerned(PodModel pod, PodChange change) {}

  /** Returns the pods that the change concerns, as far as there is time, by name. */
  private List<Concerned> concerned() {
    List<Concerned> pods = new ArrayList<>();
    int asked = 0;
    for (PodModel pod : mirror.pods()) {
      if (++asked % ASKED_AT_ONCE == 0 && expired.getAsBoolean()) {
        cutShort = true;
        break;
      }
      boolean isOfNamespace = namespace.isEmpty() || namespace.equals(pod.ref().namespace());
      if (isOfNamespace && !pod.terminating() && !pod.finished()) {
        PodChange change = changeOf.apply(pod);
        if (isConcerned(pod, change)) {
          pods.add(new Concerned(pod, change));
        }
      }
    }
    pods.sort(Comparator.comparing(each -> Mirror.key(each.pod().ref())));
    return pods;
  }

  /** Returns whether a change concerns a pod that this scheduler places, today or after it. */
  private boolean isConcerned(PodModel pod, PodChange change) {
    return switch (change) {
      case PodChange.NotConcerned() -> false;
      case PodChange.Changed(PodModel today, PodModel after) ->
          mirror.schedules(today) || mirror.schedules(after);
      case PodChange.Denied _ -> true;
      case PodChange.Admitted(PodModel after) -> mirror.schedules(after);
      case PodChange.Unchanged(), PodChange.UnknownOrigin(), PodChange.NotFoundOut() ->
          mirror.schedules(pod);
    };
  }

  /** Finds out how one pod is affected; returns false if the time ran out before. */
  private boolean tryAlone(Concerned concerned) {
    PodModel pod = concerned.pod();
    return switch (concerned.change()) {
      case PodChange.NotConcerned() -> throw new IllegalStateException(pod.ref() + " is concerned");
      case PodChange.Unchanged() -> {
        effects.merge(PolicyEffect.UNCHANGED, 1, Integer::sum);
        yield true;
      }
      case PodChange.UnknownOrigin() -> {
        unknownOrigin++;
        notTried++;
        yield true;
      }
      case PodChange.NotFoundOut() -> {
        cutShort = true;
        yield true;
      }
      case PodChange.Admitted(PodModel after) -> tryAdmitted(pod, after);
      case PodChange.Denied(String message) -> {
        note(pod, PolicyEffect.DENIED, "", NOWHERE, message);
        yield true;
      }
      case PodChange.Changed(PodModel today, PodModel after) -> tryAlone(pod, today, after);
    };
  }

  /** Finds out where a pod would go that would be denied today. */
  private boolean tryAdmitted(PodModel pod, PodModel after) {
    Optional<Fate> then = fate(pod, after);
    if (then.isEmpty()) {
      return notDecided();
    }
    note(pod, effect(NOWHERE, then.get()), "", then.get(), "");
    return true;
  }

  private boolean tryAlone(PodModel pod, PodModel today, PodModel after) {
    if (!pod.gates().isEmpty()) {
      notTried++;
      return true;
    }
    Optional<Fate> then = fate(pod, after);
    if (then.isEmpty()) {
      return notDecided();
    }
    String own = mirror.nodeOf(pod);
    if (then.get().isPlaced() && then.get().node().equals(own) && then.get().victims().isEmpty()) {
      note(pod, PolicyEffect.UNCHANGED, own, then.get(), "");
      return true;
    }
    Optional<Fate> now = fate(pod, today);
    if (now.isEmpty()) {
      return notDecided();
    }
    note(pod, effect(now.get(), then.get()), now.get().node(), then.get(), "");
    return true;
  }

  /** Counts a pod without decision, unless the reason is that the time ran out. */
  private boolean notDecided() {
    if (expired.getAsBoolean()) {
      return false;
    }
    notTried++;
    return true;
  }

  private PolicyEffect effect(Fate today, Fate then) {
    if (!then.isPlaced()) {
      if (then.isRefused()) {
        return today.isRefused() ? PolicyEffect.UNCHANGED : PolicyEffect.DENIED;
      }
      return today.isPlaced() ? PolicyEffect.FITS_NOWHERE : PolicyEffect.UNCHANGED;
    }
    List<PodRef> more = new ArrayList<>(then.victims());
    more.removeAll(today.victims());
    if (!more.isEmpty()) {
      victims.addAll(more);
      return PolicyEffect.EVICTS;
    }
    if (!today.isPlaced()) {
      return PolicyEffect.FITS_NOW;
    }
    return today.node().equals(then.node()) ? PolicyEffect.UNCHANGED : PolicyEffect.GOES_ELSEWHERE;
  }

  private void note(PodModel pod, PolicyEffect effect, String today, Fate then, String denial) {
    effects.merge(effect, 1, Integer::sum);
    if (effect == PolicyEffect.UNCHANGED) {
      return;
    }
    List<Change> described = changes.computeIfAbsent(effect, absent -> new ArrayList<>());
    if (described.size() < MOST_DESCRIBED) {
      described.add(
          new Change(
              pod.ref(),
              effect,
              mirror.nodeOf(pod),
              today,
              then.node(),
              then.victims(),
              then.notPlaced(),
              denial));
    }
  }

  /**
   * Returns what would be decided about a pod if it were created now. Another scheduler is taken to
   * leave the pod on its node.
   *
   * @param created the pod as it would be created
   * @return empty if there was no decision
   */
  private Optional<Fate> fate(PodModel pod, PodModel created) {
    PodRef ref = pod.ref();
    String own = mirror.nodeOf(pod);
    if (!mirror.schedules(created)) {
      return own.isEmpty()
          ? Optional.empty()
          : Optional.of(new Fate(own, List.of(), Optional.empty()));
    }
    try (Trial trial = new Trial(mirror, now)) {
      trial.remove(ref);
      TrialRun run = new TrialRun(mirror, trial, now, expired);
      mirror.startTurnsAt(own);
      trial.place(PodVariant.of(created).asNew().build());
      run.run(() -> run.decision(ref).isPresent());
      advised |= run.advised();
      Optional<Decision> decision = run.decision(ref);
      if (decision.isEmpty()) {
        return Optional.empty();
      }
      return run.nodeOf(ref)
          .map(node -> new Fate(node, run.victimsOf(ref), Optional.empty()))
          .or(
              () ->
                  decision.map(why -> new Fate("", List.of(), Optional.of(WhatIf.notPlaced(why)))));
    } finally {
      mirror.forgetEvictions();
    }
  }
}

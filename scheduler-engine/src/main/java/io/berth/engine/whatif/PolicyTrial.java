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

/**
 * The answer to a question about a policy, on a mirror that is afterwards as it was before.
 *
 * <p>A pod that the policy would leave on its node is not affected. Every other pod is placed by
 * its present policy as well: only a difference between both is an effect of the change. Both
 * decisions prefer the pod's own node among those with equal scores.
 */
public final class PolicyTrial {
  /** The most pods that are described for each effect. */
  private static final int MOST_DESCRIBED = 100;

  private final Mirror mirror;
  private final PolicyQuestion question;
  private final Instant now;
  private final BooleanSupplier expired;
  private final String defaultToday;
  private final Map<PolicyEffect, Integer> effects = new EnumMap<>(PolicyEffect.class);
  private final Map<PolicyEffect, List<Change>> changes = new EnumMap<>(PolicyEffect.class);
  private final Set<PodRef> victims = new LinkedHashSet<>();
  private int notTried;
  private boolean advised;

  private PolicyTrial(
      Mirror mirror, PolicyQuestion question, Instant now, BooleanSupplier expired) {
    this.mirror = mirror;
    this.question = question;
    this.now = now;
    this.expired = expired;
    this.defaultToday = mirror.defaultPolicy();
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
      Mirror mirror, PolicyQuestion question, Instant now, BooleanSupplier expired) {
    PolicyTrial policyTrial = new PolicyTrial(mirror, question, now, expired);
    try (Trial trial = new Trial(mirror, now)) {
      trial.serve(question.policy());
      if (question.defaultAfter().isEmpty() && !mirror.defaultPolicy().isEmpty()) {
        trial.setDefault(""); // the built-in policy has no name by which pods could be placed
      }
      return policyTrial.answer();
    }
  }

  /**
   * The fate of a pod under one policy.
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
    List<PodModel> pods =
        mirror.pods().stream()
            .filter(this::isConcerned)
            .sorted(Comparator.comparing(pod -> Mirror.key(pod.ref())))
            .toList();
    int done = 0;
    while (done < pods.size() && tryAlone(pods.get(done))) {
      done++;
    }
    List<Change> described = new ArrayList<>();
    changes.values().forEach(described::addAll);
    return new PolicyAnswer(
        pods.size(),
        notTried,
        effects,
        described.stream().limit(MOST_DESCRIBED).toList(),
        List.copyOf(victims),
        advised,
        done < pods.size());
  }

  private boolean isConcerned(PodModel pod) {
    boolean isOfNamespace =
        question.namespace().isEmpty() || question.namespace().equals(pod.ref().namespace());
    return isOfNamespace
        && mirror.schedules(pod)
        && !pod.terminating()
        && (policyToday(pod).equals(question.name())
            || policyAfter(pod).equals(question.name())
            || question.denied().test(pod));
  }

  private String policyToday(PodModel pod) {
    return pod.policy().isEmpty() ? defaultToday : pod.policy();
  }

  private String policyAfter(PodModel pod) {
    return pod.policy().isEmpty() ? question.defaultAfter() : pod.policy();
  }

  /** Finds out how one pod is affected; returns false if the time ran out before. */
  private boolean tryAlone(PodModel pod) {
    if (question.denied().test(pod)) {
      note(pod, PolicyEffect.DENIED, "", new Fate("", List.of(), Optional.empty()));
      return true;
    }
    if (!pod.gates().isEmpty()) {
      notTried++;
      return true;
    }
    String after = policyAfter(pod);
    Optional<Fate> then =
        fate(pod, after.equals(question.name()) ? question.policy().name() : after);
    if (then.isEmpty()) {
      return notDecided();
    }
    String own = mirror.nodeOf(pod);
    if (then.get().isPlaced() && then.get().node().equals(own) && then.get().victims().isEmpty()) {
      note(pod, PolicyEffect.UNCHANGED, own, then.get());
      return true;
    }
    Optional<Fate> today = fate(pod, policyToday(pod));
    if (today.isEmpty()) {
      return notDecided();
    }
    note(pod, effect(today.get(), then.get()), today.get().node(), then.get());
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

  private void note(PodModel pod, PolicyEffect effect, String today, Fate then) {
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
              then.notPlaced()));
    }
  }

  /**
   * Returns what a policy would decide about a pod if it were created now.
   *
   * @param policy the name of a served policy; empty for the built-in one
   * @return empty if there was no decision
   */
  private Optional<Fate> fate(PodModel pod, String policy) {
    PodRef ref = pod.ref();
    String own = mirror.nodeOf(pod);
    try (Trial trial = new Trial(mirror, now)) {
      trial.remove(ref);
      TrialRun run = new TrialRun(mirror, trial, now, expired);
      mirror.startTurnsAt(own);
      trial.place(PodVariant.of(pod).asNew().policy(policy).build());
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

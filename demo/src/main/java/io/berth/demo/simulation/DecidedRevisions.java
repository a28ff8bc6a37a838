package io.berth.demo.simulation;

import io.berth.crds.SchedulingPolicy;
import io.berth.demo.simulation.PolicyHistory.Version;
import io.berth.demo.tenants.Tenants;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.model.PodRef;
import io.berth.operator.schedule.EngineObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The revisions of policies by which one leader decides about pods: each is the one that applies to
 * the pod's workload, according to the policy as the watch has delivered it. A leader that does not
 * know the last complete revision may decide by another one, but never by one that was withdrawn.
 */
final class DecidedRevisions implements EngineObserver {
  /** The longest time from the begin of an attempt to its end. */
  private static final Duration ATTEMPT = Duration.ofSeconds(1);

  /** The longest time of an attempt that asks an extender, or waits for what a group asks. */
  private static final Duration LONG_ATTEMPT = Duration.ofSeconds(15);

  private final EngineObserver recording;
  private final VirtualTime time;
  private final PolicyHistory history;
  private final Predicate<String> lacksRevisions;
  private final Consumer<String> onViolation;

  /** The hashes of the workloads of pods, by the UID of the pod. */
  private final Map<String, Integer> workloads = new HashMap<>();

  /** The versions of each policy that the watch has delivered lately, the newest last. */
  private final Map<String, Deque<Seen>> seen = new HashMap<>();

  /** The last time at which a policy's complete revision was not known. */
  private final Map<String, Long> lacked = new HashMap<>();

  private long compared;

  /** A version, and the time since which it is outdated. */
  private static final class Seen {
    final Version version;
    long until = Long.MAX_VALUE;

    Seen(Version version) {
      this.version = version;
    }
  }

  /**
   * Begins with a leader that knows no policies.
   *
   * @param recording follows the engine, too
   * @param lacksRevisions returns whether the leader lacks the last complete revision of a policy
   */
  DecidedRevisions(
      EngineObserver recording,
      VirtualTime time,
      PolicyHistory history,
      Predicate<String> lacksRevisions,
      Consumer<String> onViolation) {
    this.recording = recording;
    this.time = time;
    this.history = history;
    this.lacksRevisions = lacksRevisions;
    this.onViolation = onViolation;
  }

  /** Takes the policies that the watch has delivered. */
  void delivered(Collection<SchedulingPolicy> policies) {
    Set<String> names = new HashSet<>();
    for (SchedulingPolicy policy : policies) {
      String name = policy.getMetadata().getName();
      names.add(name);
      history
          .version(policy.getMetadata().getResourceVersion())
          .ifPresent(version -> delivered(name, version));
      noteLack(name);
    }
    seen.forEach(
        (name, versions) -> {
          if (!names.contains(name)) {
            end(versions);
          }
        });
  }

  private void delivered(String name, Version version) {
    Deque<Seen> versions = seen.computeIfAbsent(name, key -> new ArrayDeque<>());
    if (versions.isEmpty() || !versions.getLast().version.equals(version)) {
      end(versions);
      versions.add(new Seen(version));
    }
  }

  /** Marks the newest version as outdated, and forgets those that do not matter any more. */
  private void end(Deque<Seen> versions) {
    if (!versions.isEmpty()) {
      Seen last = versions.getLast();
      last.until = Math.min(last.until, time.nanoTime());
      versions.removeIf(each -> !isRecent(each.until, LONG_ATTEMPT));
    }
  }

  private boolean isRecent(long end, Duration within) {
    return end >= time.nanoTime() - within.toNanos();
  }

  private void noteLack(String policy) {
    if (lacksRevisions.test(policy)) {
      lacked.put(policy, time.nanoTime());
    }
  }

  /** Returns the number of decisions by a policy that was being rolled out. */
  long compared() {
    return compared;
  }

  private void judge(Decision decision) {
    String policy = decision.record().policy();
    String revision = decision.record().policyRevision();
    Deque<Seen> versions = seen.getOrDefault(policy, new ArrayDeque<>());
    Integer workload = workloads.get(decision.pod().uid());
    if (revision.isEmpty() || versions.isEmpty() || workload == null) {
      return;
    }
    noteLack(policy);
    boolean isLong = policy.equals(Tenants.EXTENDED_POLICY) || !decision.record().group().isEmpty();
    Duration attempt = isLong ? LONG_ATTEMPT : ATTEMPT;
    boolean applies = false;
    boolean isPartial = false;
    boolean isWithdrawn = false;
    for (Seen each : versions) {
      if (isRecent(each.until, attempt)) {
        Optional<String> hash = history.hash(each.version.uid(), revision);
        applies |= hash.isPresent() && each.version.applyTo(workload).contains(hash.get());
        isPartial |= each.version.isPartial();
        isWithdrawn |=
            each.version.isWithdrawn() && hash.equals(Optional.of(each.version.latest()));
      }
    }
    compared += isPartial ? 1 : 0;
    boolean isExcused = isRecent(lacked.getOrDefault(policy, Long.MIN_VALUE), attempt);
    if (!applies && (isWithdrawn || !isExcused)) {
      Version last = versions.getLast().version;
      onViolation.accept(
          "pod %s was decided about by revision %s of policy %s%s; %d %% of the workloads have the latest one"
              .formatted(
                  decision.pod(),
                  revision,
                  policy,
                  isWithdrawn ? ", which was withdrawn" : ", which does not apply to its workload",
                  last.percent()));
    }
  }

  @Override
  public void begun(EngineOptions options) {
    recording.begun(options);
  }

  @Override
  public void applied(ClusterEvent event, Instant at) {
    recording.applied(event, at);
    if (event instanceof ClusterEvent.PodUpserted upserted) {
      workloads.put(upserted.pod().ref().uid(), upserted.pod().workloadHash());
    }
  }

  @Override
  public void eventsEnded() {
    recording.eventsEnded();
  }

  @Override
  public void abandoned() {
    recording.abandoned();
  }

  @Override
  public void answered(Outcome outcome, Instant at) {
    recording.answered(outcome, at);
    switch (outcome) {
      case Decision.Placed placed -> judge(placed);
      case Decision.Nominated nominated -> judge(nominated);
      case Decision.Unschedulable rejected -> judge(rejected);
      case Decision.Quarantined _, Decision.GivenBack _ -> {} // by no revision, or an earlier one
      case AdviceRequest _, Idle _ -> {} // not decided yet
    }
  }

  @Override
  public void failed(PodRef pod, Instant at) {
    recording.failed(pod, at);
  }

  @Override
  public boolean wantsNewEngine() {
    return recording.wantsNewEngine();
  }
}

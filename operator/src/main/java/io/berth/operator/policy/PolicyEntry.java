package io.berth.operator.policy;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.rollout.GradualRollout;
import io.berth.crds.rollout.RolloutStatus;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.framework.Canary;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.operator.rollout.RolloutProgress.SpecRevision;
import io.berth.webhook.error.Problem;
import io.berth.webhook.rollout.Rollouts;
import io.berth.webhook.rollout.SpecHash;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The revisions of one policy that serve: the last complete one, and for a part of the workloads
 * the latest one while it is rolled out. Not thread-safe.
 */
final class PolicyEntry {
  private final PolicyCompiler compiler;
  private PolicySource source;
  private List<Problem> problems = List.of();
  private @Nullable CompiledPolicy compiled;
  private Optional<Canary> canary = Optional.empty();
  private @Nullable GoodRevision good;
  private @Nullable String servingRevision;
  private @Nullable Instant servingSince;

  PolicyEntry(PolicySource source, PolicyCompiler compiler) {
    this.source = source;
    this.compiler = compiler;
  }

  /** Returns the policy as stored in the cluster. */
  PolicySource source() {
    return source;
  }

  /** Returns the reasons why the latest revision cannot serve. */
  List<Problem> problems() {
    return problems;
  }

  /** Returns the revisions to serve; empty if there is none. */
  Optional<ClusterEvent.PolicyServed> event() {
    return Optional.ofNullable(compiled)
        .map(policy -> new ClusterEvent.PolicyServed(policy, canary));
  }

  /** Returns all served revisions. */
  Stream<CompiledPolicy> served() {
    return Stream.concat(Stream.ofNullable(compiled), canary.stream().map(Canary::policy));
  }

  /** Returns the last revision that was complete; empty if it is not known. */
  Optional<GoodRevision> good() {
    return Optional.ofNullable(good);
  }

  /** Returns the revision that the engine has taken; empty if it has not yet. */
  Optional<String> servingRevision() {
    return Optional.ofNullable(servingRevision);
  }

  Optional<Instant> servingSince() {
    return Optional.ofNullable(servingSince);
  }

  /** Records that the engine serves the revision; an older one is ignored. */
  boolean took(CompiledPolicy policy, Instant at) {
    if (!policy.equals(compiled)) {
      return false;
    }
    servingRevision = policy.revision();
    servingSince = at;
    return true;
  }

  /** Records that no engine of a leader serves the policy. */
  void untaken() {
    servingRevision = null;
    servingSince = null;
  }

  /**
   * Chooses the revisions that serve after a change of the policy or of its rollout.
   *
   * @param stored the last complete revision as it is stored
   */
  void take(PolicySource changed, @Nullable GoodRevision stored) {
    source = changed;
    CompiledSource latest = CompiledSource.of(changed, compiler);
    problems = latest.problems();
    if (latest.policy().isPresent()) {
      take(latest.policy().get(), changed.spec().orElseThrow(), stored);
    } else {
      canary = Optional.empty();
      fallBack(stored);
    }
  }

  private void take(
      CompiledPolicy latest, SchedulingPolicySpec spec, @Nullable GoodRevision stored) {
    @Nullable GradualRollout rollout = spec.rollout();
    @Nullable RolloutStatus status = source.rolled().orElse(null);
    String hash = SpecHash.of(spec);
    Optional<GoodRevision> stable =
        Rollouts.isGradual(rollout) ? stable(hash, stored) : Optional.empty();
    Optional<String> stableHash = stable.map(it -> SpecHash.of(it.spec()));
    canary = Optional.empty();
    if (Rollouts.isUnknown(rollout, status, hash, stableHash)) {
      compiled = latest; // a policy that serves nothing would be worse
      return;
    }
    if (!Rollouts.isComplete(rollout, status, hash, stableHash)) {
      Optional<CompiledPolicy> other = stable.flatMap(this::compiled);
      if (other.isPresent()) {
        compiled = other.get();
        good = stable.get();
        int percent = Rollouts.percent(rollout, status, hash, stableHash);
        canary = percent == 0 ? canary : Optional.of(new Canary(latest, percent, hash));
        return;
      }
    }
    compiled = latest;
    good = new GoodRevision(source.revision(), spec, source.owner());
  }

  /** Returns the last complete revision, as far as it is known. */
  private Optional<GoodRevision> stable(String hash, @Nullable GoodRevision stored) {
    Stream<GoodRevision> known =
        Stream.of(Optional.ofNullable(good), Optional.ofNullable(stored))
            .flatMap(Optional::stream)
            .filter(it -> it.owner().getUid().equals(source.owner().getUid()));
    Optional<String> named =
        source
            .rolled()
            .filter(state -> Rollouts.isOpen(state) && state.specHash().equals(hash))
            .map(RolloutStatus::stableSpecHash);
    return known
        .filter(it -> named.isEmpty() || named.get().equals(SpecHash.of(it.spec())))
        .findFirst();
  }

  private Optional<CompiledPolicy> compiled(GoodRevision revision) {
    if (compiled != null && compiled.revision().equals(revision.revision())) {
      return Optional.of(compiled);
    }
    return compiler.compile(source.name(), revision.revision(), revision.spec())
            instanceof PolicyCompilation.Compiled(CompiledPolicy policy)
        ? Optional.of(policy)
        : Optional.empty();
  }

  /**
   * Chooses again with the revision that the last leader has stored, which it knew to be complete.
   */
  void resume(GoodRevision stored) {
    if (!stored.owner().getUid().equals(source.owner().getUid())) {
      return;
    }
    if (!problems.isEmpty()) {
      fallBack(stored);
    } else if (Rollouts.isGradual(source.spec().orElseThrow().rollout())) {
      good = null;
      take(source, stored);
    }
  }

  /** Serves the stored revision, if there is nothing else to serve. */
  private void fallBack(@Nullable GoodRevision stored) {
    if (compiled == null
        && stored != null
        && stored.owner().getUid().equals(source.owner().getUid())) {
      compiled = compiled(stored).orElse(null);
      good = compiled == null ? good : stored;
    }
  }

  /** Returns the last complete revision and the hash of its spec; empty if it is not known. */
  Optional<SpecRevision> stable() {
    return good().map(it -> new SpecRevision(it.revision(), SpecHash.of(it.spec())));
  }
}

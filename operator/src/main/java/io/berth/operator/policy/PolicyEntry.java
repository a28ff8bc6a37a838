package io.berth.operator.policy;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.framework.Canary;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.webhook.error.Problem;
import io.berth.webhook.rollout.Rollouts;
import io.berth.webhook.rollout.ServedRevisions;
import io.berth.webhook.rollout.SpecHash;
import io.berth.webhook.rollout.SpecRevision;
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

  /** True if {@code good} was only taken for complete because no other revision was known. */
  private boolean isPresumed;

  /** True if the last complete revision is another one than {@code good}. */
  private boolean isUnknown;

  /** The specs of the served revisions. */
  private List<SchedulingPolicySpec> specs = List.of();

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

  /** Returns the specs of all served revisions. */
  List<SchedulingPolicySpec> specs() {
    return specs;
  }

  /** Returns the last complete revision; empty if it is not known. */
  Optional<GoodRevision> good() {
    return isUnknown ? Optional.empty() : Optional.ofNullable(good);
  }

  /** Returns whether the last complete revision is not known, so that it has to be read. */
  boolean lacksRevisions() {
    return isUnknown;
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

  /** A revision that was complete and compiles. */
  private record Known(GoodRevision good, CompiledPolicy policy) {
    SpecRevision revision() {
      return revisionOf(good);
    }
  }

  private static SpecRevision revisionOf(GoodRevision good) {
    return new SpecRevision(good.revision(), SpecHash.of(good.spec()));
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
    canary = Optional.empty();
    isUnknown = false;
    Optional<SchedulingPolicySpec> spec = changed.spec();
    if (spec.isEmpty()) {
      fallBack(stored);
    } else {
      take(latest.policy(), spec.get(), stored);
    }
  }

  /**
   * @param latest the latest revision; empty if it does not compile
   */
  private void take(
      Optional<CompiledPolicy> latest, SchedulingPolicySpec spec, @Nullable GoodRevision stored) {
    SpecRevision revision = new SpecRevision(source.revision(), SpecHash.of(spec));
    List<Known> known = Rollouts.isGradual(spec.rollout()) ? known(stored) : List.of();
    ServedRevisions<Known> served =
        ServedRevisions.choose(
            spec.rollout(), source.rolled().orElse(null), revision, known, Known::revision);
    isUnknown = served.isUnknown();
    if (latest.isEmpty() && served.stable().isEmpty()) {
      fallBack(stored);
    } else if (served.isComplete()) {
      compiled = latest.orElseThrow();
      good = new GoodRevision(source.revision(), spec, source.owner());
      isPresumed = known.isEmpty() && Rollouts.isGradual(spec.rollout());
      specs = List.of(spec);
    } else if (served.isNone()) {
      compiled = null; // what served was the withdrawn revision, too
      specs = List.of();
    } else if (served.stable().isPresent()) {
      beside(served.stable().get(), served.percent(), latest, revision, spec);
    } else {
      compiled = latest.orElseThrow();
      specs = List.of(spec);
    }
  }

  /** Serves a revision, and the latest one for a part of the workloads. */
  private void beside(
      Known stable,
      int percent,
      Optional<CompiledPolicy> latest,
      SpecRevision revision,
      SchedulingPolicySpec spec) {
    compiled = stable.policy();
    good = stable.good();
    canary =
        latest
            .filter(policy -> percent > 0)
            .map(policy -> new Canary(policy, percent, revision.hash()));
    specs = canary.isPresent() ? List.of(good.spec(), spec) : List.of(good.spec());
  }

  /** Returns the revisions that were complete, as far as they are known and compile. */
  private List<Known> known(@Nullable GoodRevision stored) {
    return Stream.of(Optional.ofNullable(good), Optional.ofNullable(stored))
        .flatMap(Optional::stream)
        .filter(it -> it.owner().getUid().equals(source.owner().getUid()))
        .flatMap(it -> compiled(it).map(policy -> new Known(it, policy)).stream())
        .toList();
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

  /** Chooses again with the revision that a leader has stored, which it knew to be complete. */
  void resume(GoodRevision stored) {
    if (problems.isEmpty() && !isUnknown && !isPresumed) {
      return; // what was observed is not older
    }
    if (isPresumed
        && good != null
        && source.rolled().isEmpty()
        && !revisionOf(stored).hash().equals(revisionOf(good).hash())) {
      good = null; // the change was made while no leader looked, and has not begun
    }
    take(source, stored);
  }

  /** Serves the stored revision, if there is nothing else to serve. */
  private void fallBack(@Nullable GoodRevision stored) {
    if (compiled == null
        && stored != null
        && stored.owner().getUid().equals(source.owner().getUid())) {
      compiled = compiled(stored).orElse(null);
      good = compiled == null ? good : stored;
      specs = compiled == null ? specs : List.of(stored.spec());
    }
  }

  /** Returns the last complete revision and the hash of its spec; empty if it is not known. */
  Optional<SpecRevision> stable() {
    return good().map(PolicyEntry::revisionOf);
  }
}

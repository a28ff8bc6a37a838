package io.berth.webhook.rollout;

import io.berth.crds.ConfigStatus;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.NodeSchedulerConfigSpec;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.PodSchedulerConfigSpec;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.SchedulingPolicyStatus;
import io.berth.crds.rollout.GradualRollout;
import io.berth.crds.rollout.RolloutPhase;
import io.berth.crds.rollout.RolloutStatus;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The share of the workloads to which the latest spec of an object applies. It is derived from the
 * object alone, so that all replicas agree, also while there is no leader: until the leader has
 * begun the rollout of a change, the change applies to no workload.
 */
public final class Rollouts {
  /** The percentage of a spec that applies to all workloads. */
  public static final int ALL = 100;

  private Rollouts() {}

  /** Returns whether changes of an object can be rolled out in steps. */
  public static boolean areOf(HasMetadata object) {
    return object instanceof NodeSchedulerConfig
        || object instanceof PodSchedulerConfig
        || object instanceof SchedulingPolicy;
  }

  /** Returns the steps in the spec of an object; null if a change takes effect at once. */
  public static @Nullable GradualRollout of(CustomResource<?, ?> object) {
    return switch (object.getSpec()) {
      case NodeSchedulerConfigSpec spec -> spec.rollout();
      case PodSchedulerConfigSpec spec -> spec.rollout();
      case SchedulingPolicySpec spec -> spec.rollout();
      case null -> null;
      default -> throw new IllegalArgumentException("no rollouts of " + object.getKind());
    };
  }

  /** Returns the state of the last rollout of an object; null if there was none. */
  public static @Nullable RolloutStatus last(CustomResource<?, ?> object) {
    return switch (object.getStatus()) {
      case ConfigStatus status -> status.rollout();
      case SchedulingPolicyStatus status -> status.rollout();
      case null -> null;
      default -> throw new IllegalArgumentException("no rollouts of " + object.getKind());
    };
  }

  /**
   * Returns the percentage of the workloads to which the latest spec applies.
   *
   * @param rollout the steps in the latest spec; null if a change takes effect at once
   * @param status the state of the last rollout; null if there was none
   * @param latest the hash of the latest spec
   * @param stable the hash of the last complete spec; empty if there is none
   */
  public static int percent(
      @Nullable GradualRollout rollout,
      @Nullable RolloutStatus status,
      String latest,
      Optional<String> stable) {
    if (!isGradual(rollout) || stable.isEmpty() || stable.get().equals(latest)) {
      return ALL;
    }
    if (status == null) {
      return 0;
    }
    if (!status.specHash().equals(latest)) {
      return isBack(status, latest) ? ALL : 0;
    }
    return switch (status.phase()) {
      case COMPLETE -> ALL;
      case ABORTED -> 0;
      case PROGRESSING, PAUSED -> status.percent();
    };
  }

  /**
   * Returns whether the latest spec applies to all workloads, and can not be withdrawn any more.
   */
  public static boolean isComplete(
      @Nullable GradualRollout rollout,
      @Nullable RolloutStatus status,
      String latest,
      Optional<String> stable) {
    boolean mayBeWithdrawn =
        isGradual(rollout) && isOpen(status) && status.specHash().equals(latest);
    return percent(rollout, status, latest, stable) == ALL
        && !(mayBeWithdrawn && stable.filter(latest::equals).isEmpty());
  }

  /**
   * Returns whether there is a last complete spec other than the given one: it was complete before
   * this replica started, or while its watch had a gap.
   *
   * @param stable the spec that was the last complete one as far as known; empty if none is
   */
  static boolean isUnknown(
      @Nullable GradualRollout rollout,
      @Nullable RolloutStatus status,
      SpecRevision latest,
      Optional<SpecRevision> stable) {
    if (!isGradual(rollout) || status == null) {
      return false;
    }
    boolean isLatest = status.specHash().equals(latest.hash());
    if (!isOpen(status)) {
      return !isLatest
          && !isBack(status, latest.hash())
          && !isKnown(stable, status.specHash(), status.revision());
    }
    if (latest.hash().equals(status.stableSpecHash())) {
      return false; // the last complete spec was applied again
    }
    return isLatest
        ? stable.filter(it -> it.hash().equals(status.stableSpecHash())).isEmpty()
        : !isKnown(stable, status.stableSpecHash(), status.stableRevision());
  }

  /**
   * Returns whether a revision is the one that a status names, or was complete after it, which the
   * leader has not recorded yet. The same generation is the same spec even if its hash differs,
   * which a new version of Berth can compute differently.
   */
  private static boolean isKnown(
      Optional<SpecRevision> stable, @Nullable String hash, @Nullable String revision) {
    return stable
        .filter(it -> it.hash().equals(hash) || (revision != null && it.isFrom(revision)))
        .isPresent();
  }

  /** Returns whether changes of the spec take effect in steps. */
  public static boolean isGradual(@Nullable GradualRollout rollout) {
    return rollout != null && !rollout.steps().isEmpty();
  }

  /** Returns whether a spec is the one before the last complete one: going back is not gradual. */
  public static boolean isBack(RolloutStatus status, String latest) {
    return status.phase() == RolloutPhase.COMPLETE && latest.equals(status.previousSpecHash());
  }

  /** Returns what of a status decides which revision applies, as text; empty if there is none. */
  public static String stamp(@Nullable RolloutStatus status) {
    return status == null
        ? ""
        : "%s %s %d%% of %s after %s"
            .formatted(
                status.specHash(),
                status.phase().text(),
                status.percent(),
                status.stableSpecHash(),
                status.previousSpecHash());
  }

  /** Returns whether a rollout is under way or aborted, so that two revisions are known. */
  public static boolean isOpen(@Nullable RolloutStatus status) {
    return status != null && status.phase() != RolloutPhase.COMPLETE;
  }
}

package io.berth.engine.whatif;

import io.berth.engine.api.Decision;
import io.berth.engine.api.Decision.WouldEvict;
import io.berth.engine.api.WaitCause;
import io.berth.engine.decision.DecisionRecord;
import io.berth.engine.model.PodRef;
import java.util.List;
import java.util.Optional;

/**
 * The answer to a question about the placement of pods.
 *
 * @param placements the pods that would be placed, in the order of the decisions
 * @param notPlaced the first of them that would not be placed; empty if all would be, or if there
 *     was no time to find out
 * @param undecided how many copies were not tried, because one like them did not fit or time ran
 *     out
 * @param displaced the pods that leave drained and removed nodes
 * @param usage how full the nodes are that the pod may use
 * @param changes the changes of which each alone would let the next pod be placed, the smallest
 *     first; empty if all are placed, and for a pod of a group, for which none is tried
 * @param advised whether the policy consults extenders, which were not asked: they accept
 *     everything
 * @param truncated whether the time ran out, so that the answer is not complete
 */
public record PlacementAnswer(
    List<Placement> placements,
    Optional<NotPlaced> notPlaced,
    int undecided,
    Displaced displaced,
    PoolUsage usage,
    List<FitChange> changes,
    boolean advised,
    boolean truncated) {
  /** Copies the lists. */
  public PlacementAnswer {
    placements = List.copyOf(placements);
    changes = List.copyOf(changes);
  }

  /**
   * A pod that would be placed.
   *
   * @param victims the pods that would be evicted for it
   * @param decision the last decision about it: its placement, or a nomination if victims would
   *     terminate first
   */
  public record Placement(PodRef pod, String node, List<PodRef> victims, Decision decision) {
    /** Copies the victims. */
    public Placement {
      victims = List.copyOf(victims);
    }

    /** Returns the reasons of the decision. */
    public DecisionRecord record() {
      return decision.record();
    }
  }

  /**
   * A pod that would not be placed.
   *
   * @param message the reason, in kube-scheduler's wording
   * @param waits whether it would be placed soon without a change
   * @param cause what it would wait for; empty if the attempt failed
   * @param wouldEvict the evictions that would make room, if its policy only reports them
   */
  public record NotPlaced(
      PodRef pod,
      String message,
      boolean waits,
      Optional<WaitCause> cause,
      Optional<WouldEvict> wouldEvict,
      DecisionRecord record) {}

  /**
   * The fate of the pods of drained and removed nodes.
   *
   * @param pods how many leave their nodes, and are to be placed again by this engine
   * @param placed how many of them are placed on other nodes
   * @param others how many leave their nodes and are of other schedulers; they use nothing any more
   */
  public record Displaced(int pods, int placed, int others) {}
}

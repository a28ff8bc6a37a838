package io.berth.engine.api;

import io.berth.engine.decision.PreemptionCandidate;
import io.berth.engine.framework.Consultation;
import io.berth.engine.model.PodRef;
import java.util.List;

/**
 * An attempt that is suspended until external advice arrives. Answer with {@link
 * ClusterEvent.Advised}. The attempt then resumes with the state of that moment. Other pods are
 * scheduled in the meantime.
 *
 * <p>The attempt fails when the {@link Consultation#timeout} has passed, and is dropped when the
 * pod changes, is bound, or is deleted. Later answers have no effect.
 *
 * @param token identifies the question among all open ones
 * @param policyRevision the revision of the policy that requires the advice
 * @param consultation the advisor for this pod
 */
public record AdviceRequest(
    long token,
    PodRef pod,
    Attempt attempt,
    String policy,
    String policyRevision,
    Consultation consultation,
    Question question)
    implements Outcome {
  /** Returns the names of the nodes that the question is about. */
  public List<String> nodes() {
    return switch (question) {
      case OfNodes(List<String> names) -> names;
      case OfVictims(List<PreemptionCandidate> candidates) ->
          candidates.stream().map(PreemptionCandidate::node).toList();
    };
  }

  /** A question to an advisor. */
  public sealed interface Question {}

  /**
   * Asks which of these nodes may run the pod, and for their scores. Answer with {@link
   * Advice.Nodes}.
   *
   * @param names the nodes on which the pod fits now, at least one
   */
  public record OfNodes(List<String> names) implements Question {
    public OfNodes {
      names = List.copyOf(names);
    }
  }

  /**
   * Asks which pods to evict, and on which of these nodes, for a pod that fits nowhere. Answer with
   * {@link Advice.Victims}.
   *
   * @param candidates at least one; if there are many, only the best ones
   */
  public record OfVictims(List<PreemptionCandidate> candidates) implements Question {
    public OfVictims {
      candidates = List.copyOf(candidates);
    }
  }
}

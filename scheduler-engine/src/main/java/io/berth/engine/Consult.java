package io.berth.engine;

import io.berth.engine.decision.PreemptionCandidate;
import io.berth.engine.framework.Consultation;
import java.util.List;

/**
 * An attempt that leaves the engine for advice. Answer with {@link ClusterEvent.Advised}. The
 * attempt then goes on with the state of that moment; other pods are placed meanwhile.
 *
 * <p>It ends without an answer when the {@link Consultation#timeout} is over, and is dropped when
 * the pod changes, is bound or goes. An answer that comes later changes nothing.
 *
 * @param token names this question among all that are open
 * @param policyRevision the revision of the policy that asks
 * @param consultation who is asked about this pod
 */
public record Consult(
    long token,
    PodRef pod,
    Attempt attempt,
    String policy,
    String policyRevision,
    Consultation consultation,
    Question question)
    implements Outcome {
  /** Returns the names of the nodes that are asked about. */
  public List<String> nodes() {
    return switch (question) {
      case OfNodes(List<String> names) -> names;
      case OfVictims(List<PreemptionCandidate> candidates) ->
          candidates.stream().map(PreemptionCandidate::node).toList();
    };
  }

  /** The question. */
  public sealed interface Question {}

  /**
   * The question which of these nodes may take the pod, and how good they are. Answer with {@link
   * Advice.Nodes}.
   *
   * @param names of the nodes on which the pod fits now, at least one
   */
  public record OfNodes(List<String> names) implements Question {
    public OfNodes {
      names = List.copyOf(names);
    }
  }

  /**
   * The pod fits nowhere; on which of these nodes may which pods be evicted? Answer with {@link
   * Advice.Victims}.
   *
   * @param candidates at least one; the best of them where there are many
   */
  public record OfVictims(List<PreemptionCandidate> candidates) implements Question {
    public OfVictims {
      candidates = List.copyOf(candidates);
    }
  }
}

package io.berth.engine;

import io.berth.engine.framework.Consultation;
import java.util.List;

/**
 * An attempt that leaves the engine for advice: the pod fits on some nodes, and its policy wants
 * somebody to be asked about them. Answer with {@link ClusterEvent.Advised}. The attempt then goes
 * on with the state of that moment; other pods are placed meanwhile.
 *
 * <p>It ends without an answer when the {@link Consultation#timeout} is over, and is dropped when
 * the pod changes, is bound or goes. An answer that comes later changes nothing.
 *
 * @param token names this question among all that are open
 * @param nodes names of the nodes on which the pod fits now, at least one
 * @param policyRevision the revision of the policy that asks
 */
public record Consult(
    long token,
    PodRef pod,
    Attempt attempt,
    String policy,
    String policyRevision,
    Consultation consultation,
    List<String> nodes)
    implements Outcome {
  public Consult {
    nodes = List.copyOf(nodes);
  }
}

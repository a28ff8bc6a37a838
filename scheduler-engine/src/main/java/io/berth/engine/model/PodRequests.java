package io.berth.engine.model;

/**
 * The amounts that a pod requests, and those that it uses once it is placed. None of the amounts
 * contains {@code pods}.
 *
 * @param asked what has to be free on a node for the pod to be placed there: the larger of all
 *     containers together and any init container with the sidecars before it, or the pod-level
 *     amount, plus overhead
 * @param held what is subtracted from the node's allocatable; differs from {@code asked} while a
 *     bound pod is being resized
 * @param scored what the incoming pod asks for when NodeResourcesFit scores by a resource other
 *     than CPU and memory: its containers and overhead, whatever its requests at pod level
 * @param scoredMilliCpu CPU of the incoming pod for scoring: containers that ask for none count as
 *     100m
 * @param scoredMemoryBytes memory of the incoming pod for scoring: containers that ask for none
 *     count as 200 MiB
 * @param heldScoredMilliCpu CPU of the pod for scoring others, once it is on a node
 * @param heldScoredMemoryBytes memory of the pod for scoring others, once it is on a node
 */
public record PodRequests(
    ResourceAmounts asked,
    ResourceAmounts held,
    ResourceAmounts scored,
    long scoredMilliCpu,
    long scoredMemoryBytes,
    long heldScoredMilliCpu,
    long heldScoredMemoryBytes) {

  /** A pod that holds what it asks for. */
  public static PodRequests of(ResourceAmounts asked, long scoredMilliCpu, long scoredMemoryBytes) {
    return new PodRequests(
        asked, asked, asked, scoredMilliCpu, scoredMemoryBytes, scoredMilliCpu, scoredMemoryBytes);
  }
}

package io.berth.engine.model;

/**
 * The resource requests of a pod, and the amounts that it holds once it is placed. None of the
 * amounts contains {@code pods}.
 *
 * @param asked the amounts that have to be free on a node: the larger of the sum of all containers
 *     and of any init container with the sidecars before it, or the pod-level amount, plus overhead
 * @param held the amounts that are subtracted from the node's allocatable; differ from {@code
 *     asked} while a bound pod is being resized
 * @param scored the requests of the incoming pod when NodeResourcesFit scores a resource other than
 *     CPU and memory: its containers and overhead, regardless of its pod-level requests
 * @param scoredMilliCpu CPU of the incoming pod for scoring: containers without a request count as
 *     100m
 * @param scoredMemoryBytes memory of the incoming pod for scoring: containers without a request
 *     count as 200 MiB
 * @param heldScoredMilliCpu CPU of the placed pod when others are scored
 * @param heldScoredMemoryBytes memory of the placed pod when others are scored
 */
public record PodRequests(
    ResourceAmounts asked,
    ResourceAmounts held,
    ResourceAmounts scored,
    long scoredMilliCpu,
    long scoredMemoryBytes,
    long heldScoredMilliCpu,
    long heldScoredMemoryBytes) {

  /** Returns the requests of a pod that holds what it requests. */
  public static PodRequests of(ResourceAmounts asked, long scoredMilliCpu, long scoredMemoryBytes) {
    return new PodRequests(
        asked, asked, asked, scoredMilliCpu, scoredMemoryBytes, scoredMilliCpu, scoredMemoryBytes);
  }
}

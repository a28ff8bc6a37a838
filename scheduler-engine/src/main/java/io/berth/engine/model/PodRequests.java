package io.berth.engine.model;

/**
 * What a pod takes of its node.
 *
 * @param amounts what is subtracted from the node's allocatable: the larger of all containers
 *     together and any init container with the sidecars before it, or the pod-level amount, plus
 *     overhead; for a bound pod that is being resized the larger of old and new. Never contains
 *     {@code pods}.
 * @param scoredMilliCpu CPU for scoring: containers that ask for none count as 100m
 * @param scoredMemoryBytes memory for scoring: containers that ask for none count as 200 MiB
 */
public record PodRequests(ResourceAmounts amounts, long scoredMilliCpu, long scoredMemoryBytes) {}

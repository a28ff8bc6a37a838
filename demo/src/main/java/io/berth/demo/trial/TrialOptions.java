package io.berth.demo.trial;

import java.nio.file.Path;
import java.time.Duration;

/**
 * The settings of a trial.
 *
 * @param disturbed time during which faults are injected
 * @param seed seed for the faults and the pods
 * @param nodes number of nodes, with four CPUs each
 * @param podEvery interval between two pods
 * @param pendingLimit maximum time for which a pod that fits may stay pending after all faults are
 *     over
 * @param ownKubelets whether the nodes of the cluster have kubelets, as in an embedded cluster
 * @param folder folder for the history and the logs of the Berth instances; created if missing
 */
public record TrialOptions(
    Duration disturbed,
    long seed,
    int nodes,
    Duration podEvery,
    Duration pendingLimit,
    boolean ownKubelets,
    Path folder) {}

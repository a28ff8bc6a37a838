package io.berth.demo.trial;

import java.nio.file.Path;
import java.time.Duration;

/**
 * The settings of a trial.
 *
 * @param disturbed for how long faults go on
 * @param seed of the faults and the pods
 * @param nodes how many there are, of four CPUs each
 * @param podEvery the time between two pods
 * @param pendingLimit how long a pod that fits may stay pending once all faults are over
 * @param ownKubelets whether the cluster's nodes have kubelets of their own, as an embedded one's
 *     have
 * @param folder for the history and the logs of the Berths; it is created
 */
public record TrialOptions(
    Duration disturbed,
    long seed,
    int nodes,
    Duration podEvery,
    Duration pendingLimit,
    boolean ownKubelets,
    Path folder) {}

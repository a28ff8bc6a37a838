package io.berth.demo.soak;

import java.nio.file.Path;
import java.time.Duration;

/**
 * The settings of a soak.
 *
 * @param length the time during which tenants and faults are at work, without the rests
 * @param seed seed of the tenants and the faults
 * @param kubelets whether the nodes of the cluster have kubelets, as in an embedded cluster
 * @param folder folder for the history and the logs of the replicas; created if missing
 */
public record SoakOptions(Duration length, long seed, boolean kubelets, Path folder) {}

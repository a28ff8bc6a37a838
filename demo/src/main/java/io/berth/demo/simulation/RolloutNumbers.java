package io.berth.demo.simulation;

/**
 * The numbers of rollouts of policies in a simulation.
 *
 * @param begun the number of those that have begun
 * @param completed the number of those that were completed
 * @param aborted the number of those that were withdrawn
 */
public record RolloutNumbers(long begun, long completed, long aborted) {}

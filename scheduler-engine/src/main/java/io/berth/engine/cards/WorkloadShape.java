package io.berth.engine.cards;

import java.util.Set;

/**
 * A kind of pods of a target workload.
 *
 * @param share how common such pods are, against the shares of the other kinds
 * @param milliCpu the CPU that each asks for
 * @param cards how many cards each asks for; 0 for pods without GPU
 * @param milliGpu how much of each card, in thousandths
 * @param models the card models that will do; empty where any will
 */
public record WorkloadShape(
    double share, long milliCpu, int cards, int milliGpu, Set<String> models) {
  public WorkloadShape {
    models = Set.copyOf(models);
  }
}

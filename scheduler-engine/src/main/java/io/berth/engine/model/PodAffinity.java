package io.berth.engine.model;

import java.util.List;

/** Pods that a pod should be placed near to ({@code affinity}) or far from ({@code anti}). */
public record PodAffinity(
    List<AffinityTerm> requiredAffinity,
    List<AffinityTerm> requiredAnti,
    List<WeightedAffinityTerm> preferredAffinity,
    List<WeightedAffinityTerm> preferredAnti) {
  private static final PodAffinity NONE =
      new PodAffinity(List.of(), List.of(), List.of(), List.of());

  public PodAffinity {
    requiredAffinity = List.copyOf(requiredAffinity);
    requiredAnti = List.copyOf(requiredAnti);
    preferredAffinity = List.copyOf(preferredAffinity);
    preferredAnti = List.copyOf(preferredAnti);
  }

  public static PodAffinity none() {
    return NONE;
  }

  /** Returns whether the pod has neither affinity nor anti-affinity. */
  public boolean isNone() {
    return equals(NONE);
  }
}

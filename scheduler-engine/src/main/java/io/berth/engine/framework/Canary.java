package io.berth.engine.framework;

import io.berth.engine.model.PodModel;
import io.berth.engine.model.WorkloadHash;

/**
 * A newer revision of a policy, which places the pods of a part of the workloads.
 *
 * @param policy the newer revision, under the same name
 * @param percent the percentage of the workloads, 0 to 100
 * @param salt selects the workloads; the same one during a rollout, so that a higher percentage
 *     only adds workloads
 */
public record Canary(CompiledPolicy policy, int percent, String salt) {
  /** Returns whether the newer revision places this pod. */
  public boolean includes(PodModel pod) {
    return WorkloadHash.isAmong(percent, salt, pod.workloadHash());
  }
}

package io.berth.operator.recording;

import io.berth.engine.api.ShadowDecision;
import io.berth.engine.api.ShadowDecision.Result;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The decisions of a policy that is tried on a recording, compared with the recorded ones. */
public final class PolicyComparison {
  private final int mostChanges;
  private final Map<Result, Long> pods = new EnumMap<>(Result.class);
  private final List<ShadowDecision> changes = new ArrayList<>();

  /**
   * @param mostChanges the number of pods that are kept by name
   */
  PolicyComparison(int mostChanges) {
    this.mostChanges = mostChanges;
  }

  void add(ShadowDecision decision) {
    pods.merge(decision.result(), 1L, Long::sum);
    if (decision.result() != Result.SAME && changes.size() < mostChanges) {
      changes.add(decision);
    }
  }

  /** Returns the number of pods with this result. */
  public long pods(Result result) {
    return pods.getOrDefault(result, 0L);
  }

  /** Returns the number of all compared pods. */
  public long compared() {
    return pods.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Returns the first pods with another result than the same. */
  public List<ShadowDecision> changes() {
    return List.copyOf(changes);
  }

  /** Returns whether pods would have fitted nowhere, or would have evicted others. */
  public boolean isWorse() {
    return pods(Result.FITS_NOWHERE) > 0 || pods(Result.EVICTING) > 0 || pods(Result.FAILED) > 0;
  }
}

package io.berth.operator;

import io.berth.engine.api.Attempt;
import io.berth.engine.api.Decision.Placed;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PreBindStep;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Decisions to place a pod, for tests of what follows them. */
public final class Placements {
  private Placements() {}

  /** Returns the placement of a pod on a node, after these steps. */
  public static Placed placed(PodRef pod, String node, PreBindStep... steps) {
    return new Placed(
        pod,
        new Attempt(1, Instant.EPOCH),
        node,
        List.of(),
        Map.of(),
        Map.of(),
        List.of(steps),
        Optional.empty(),
        new CycleRecord.Untried("policy", "", 1, ""));
  }
}

package io.berth.engine.api;

import io.berth.engine.model.PodRef;
import io.berth.engine.model.PreBindStep;
import java.util.List;

/**
 * Holds back the Bindings of pods that are placed together until the volumes of all of them are
 * prepared. If one pod's volumes fail, no pod is bound, and all are scheduled again.
 *
 * @param start identifies the placement
 * @param pods the pods that are placed together, each of which has this step
 */
public record TogetherStep(String start, List<PodRef> pods) implements PreBindStep {
  public TogetherStep {
    pods = List.copyOf(pods);
  }
}

package io.berth.engine;

import java.util.List;

/**
 * Of pods that are placed together none is bound before the volumes of all are prepared. If those
 * of one cannot be, none is bound, and all are to be placed again.
 *
 * @param start differs between placements
 * @param pods those that are placed together, each of which has this step
 */
public record TogetherStep(String start, List<PodRef> pods) implements PreBindStep {
  public TogetherStep {
    pods = List.copyOf(pods);
  }
}

package io.berth.operator.record;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.GroupState;
import io.berth.engine.model.GroupModel;

/** The latest progress of a pod's group, beside the decision about the pod. It names no pods. */
final class GroupProgress {
  private GroupProgress() {}

  private static int minimum(GroupState group) {
    return group.model().map(GroupModel::minimum).orElse(0);
  }

  private static int placed(GroupState group) {
    return group.placed() + group.succeeded();
  }

  /** Writes the phase, and the numbers of pods. */
  static void write(GroupState group, ObjectNode json) {
    json.put(
            "phase",
            switch (group.phase()) {
              case INCOMPLETE -> "Incomplete";
              case WAITING -> "Waiting";
              case PLACED -> "Placed";
            })
        .put("minimum", minimum(group))
        .put("pods", group.existing())
        .put("placed", placed(group))
        .put("waiting", group.pods().waiting())
        .put("missing", group.missing());
  }

  /** Returns the same in words. */
  static String text(GroupState group) {
    return "%d of at least %d pods placed, %d waiting"
        .formatted(placed(group), minimum(group), group.pods().waiting());
  }
}

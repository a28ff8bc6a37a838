package io.berth.webhook.merge;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.webhook.error.Problem;
import java.util.List;

/** The result of merging configs into a pod's spec. */
public sealed interface MergeOutcome {

  /**
   * The configs are merged.
   *
   * @param fields the pod's {@code affinity}, {@code tolerations} and {@code
   *     topologySpreadConstraints} as they shall be; a field that neither the pod nor a config has
   *     is absent
   * @param notes warnings for the user about requests of a config that were not fulfilled
   */
  record Merged(ObjectNode fields, List<Problem> notes) implements MergeOutcome {}

  /**
   * One config cannot be merged, so none is.
   *
   * @param source the config that could not be merged
   * @param reason why, and what to do
   */
  record Refused(String source, String reason) implements MergeOutcome {}
}

package io.berth.webhook.merge;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.webhook.error.Problem;
import java.util.List;

/** The result of merging configs into a pod's spec. */
public sealed interface MergeOutcome {

  /**
   * The configs are merged.
   *
   * @param fields the merged {@code affinity}, {@code tolerations}, and {@code
   *     topologySpreadConstraints} of the pod; a field is absent if neither the pod nor a config
   *     has it
   * @param notes warnings for the user about parts of a config that were omitted
   */
  record Merged(ObjectNode fields, List<Problem> notes) implements MergeOutcome {}

  /**
   * One config cannot be merged, so no config is merged.
   *
   * @param source the config that could not be merged
   * @param reason the reason and a solution
   */
  record Refused(String source, String reason) implements MergeOutcome {}
}

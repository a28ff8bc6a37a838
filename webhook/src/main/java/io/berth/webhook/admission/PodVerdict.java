package io.berth.webhook.admission;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.berth.webhook.error.Problem;
import java.util.List;
import java.util.Map;

/** The verdict on a pod that is being created or updated. */
public sealed interface PodVerdict {

  /**
   * The pod is allowed.
   *
   * @param patch the JSON patch (RFC 6902) to apply; empty if nothing changes
   * @param warnings the warnings for the creator of the pod
   * @param mistakes the problems on the platform's side because of which some configuration was not
   *     applied
   * @param auditAnnotations the changes that DryRun bindings would make, for the audit log
   */
  record Admitted(
      ArrayNode patch,
      List<Problem> warnings,
      List<PlatformMistake> mistakes,
      Map<String, String> auditAnnotations)
      implements PodVerdict {}

  /**
   * The pod is denied because it is invalid.
   *
   * @param problems all problems that were found; at least one
   */
  record Denied(List<Problem> problems) implements PodVerdict {

    /** Returns the code of the first problem. */
    public String code() {
      return problems.getFirst().code().id();
    }

    /** Returns all problems, one per line. */
    public String message() {
      return String.join("\n", problems.stream().map(Problem::text).toList());
    }
  }
}

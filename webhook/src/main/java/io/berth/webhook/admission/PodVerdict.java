package io.berth.webhook.admission;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.berth.webhook.error.Problem;
import java.util.List;
import java.util.Map;

/** The verdict on a pod that is about to be created. */
public sealed interface PodVerdict {

  /**
   * The pod is allowed.
   *
   * @param patch the JSON patch (RFC 6902) that changes it; empty: it is left as it is
   * @param warnings the warnings for the creator of the pod
   * @param mistakes the errors in the platform's configuration because of which some configuration
   *     was not applied
   * @param auditAnnotations what DryRun bindings would change, for the audit log
   */
  record Admitted(
      ArrayNode patch,
      List<Problem> warnings,
      List<PlatformMistake> mistakes,
      Map<String, String> auditAnnotations)
      implements PodVerdict {}

  /**
   * The pod is denied: its author made mistakes.
   *
   * @param problems at least one, all that were found
   */
  record Denied(List<Problem> problems) implements PodVerdict {

    /** The code of the first problem. */
    public String code() {
      return problems.getFirst().code().id();
    }

    /** All problems, one a line. */
    public String message() {
      return String.join("\n", problems.stream().map(Problem::text).toList());
    }
  }
}

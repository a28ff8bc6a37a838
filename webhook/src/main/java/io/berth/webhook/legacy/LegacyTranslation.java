package io.berth.webhook.legacy;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.webhook.error.Problem;
import java.util.List;
import java.util.Optional;

/** The result of translating a legacy policy. */
public sealed interface LegacyTranslation {

  /**
   * The policy is equivalent to a SchedulingPolicy with this spec, except for what the remarks say.
   *
   * @param remarks what a reader of the spec might miss or not expect
   */
  record Translated(SchedulingPolicySpec spec, LegacyPlaces places, List<Remark> remarks)
      implements LegacyTranslation {

    public Translated {
      remarks = List.copyOf(remarks);
    }
  }

  /**
   * A remark on an entry that is left out or changed, although the policy can be used.
   *
   * @param path the entry's path in the policy's JSON
   * @param message what happens to it
   * @param effectLost whether it had an effect in kube-scheduler that nothing has here
   */
  record Remark(String path, String message, boolean effectLost) {

    /** Returns the remark in one line. */
    public String text() {
      return path + ": " + message;
    }
  }

  /**
   * The policy cannot be used: it is malformed or requires a feature that Berth does not support.
   * Unsupported parts are never ignored.
   *
   * @param problems at least one, with paths in the policy's JSON
   * @param rest the part that could be translated, so that its problems can be reported together
   *     with the others; empty if the policy cannot be parsed
   */
  record Untranslatable(List<Problem> problems, Optional<Translated> rest)
      implements LegacyTranslation {

    public Untranslatable {
      problems = List.copyOf(problems);
    }
  }
}

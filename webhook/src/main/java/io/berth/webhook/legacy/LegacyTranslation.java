package io.berth.webhook.legacy;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.webhook.error.Problem;
import java.util.List;
import java.util.Optional;

/** The result of translating a legacy policy. */
public sealed interface LegacyTranslation {

  /** The policy is equivalent to a SchedulingPolicy with this spec. */
  record Translated(SchedulingPolicySpec spec, LegacyPlaces places) implements LegacyTranslation {}

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

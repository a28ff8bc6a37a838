package io.berth.webhook.legacy;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.webhook.error.Problem;
import java.util.List;
import java.util.Optional;

/** Result of reading a legacy policy. */
public sealed interface LegacyTranslation {

  /** The policy is equivalent to a SchedulingPolicy with this spec. */
  record Translated(SchedulingPolicySpec spec, LegacyPlaces places) implements LegacyTranslation {}

  /**
   * The policy cannot be used: it is not readable or requires a feature that Berth does not
   * support. No part of it is ignored.
   *
   * @param problems at least one, with paths in the policy's JSON
   * @param rest what could be translated, so that its problems can be reported with the others;
   *     empty where nothing could be read
   */
  record Untranslatable(List<Problem> problems, Optional<Translated> rest)
      implements LegacyTranslation {

    public Untranslatable {
      problems = List.copyOf(problems);
    }
  }
}

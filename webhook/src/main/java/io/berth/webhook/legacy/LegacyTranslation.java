package io.berth.webhook.legacy;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.webhook.error.Problem;
import java.util.List;
import java.util.Optional;

/** Result of reading a legacy policy. */
public sealed interface LegacyTranslation {

  /** The policy says what a SchedulingPolicy with this spec says. */
  record Translated(SchedulingPolicySpec spec, LegacyPlaces places) implements LegacyTranslation {}

  /**
   * The policy cannot serve: it is not readable, or asks for something that Berth does not do.
   * Nothing of it is ignored.
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

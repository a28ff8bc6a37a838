package io.berth.webhook.legacy;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.webhook.error.Problem;
import java.util.List;

/** What comes of reading a legacy policy. */
public sealed interface LegacyTranslation {

  /** The policy says what a SchedulingPolicy with this spec says. */
  record Translated(SchedulingPolicySpec spec) implements LegacyTranslation {}

  /**
   * The policy cannot serve: it is not readable, or asks for something that Berth does not do.
   * Nothing of it is ignored.
   *
   * @param problems at least one, with paths in the policy's JSON
   */
  record Untranslatable(List<Problem> problems) implements LegacyTranslation {}
}

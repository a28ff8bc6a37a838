package io.berth.operator.extender;

import io.berth.engine.extender.Extender;

/** Words about extenders that gave no answer. */
final class Failures {
  private Failures() {}

  /** For the pod's owner, who waits for the extender. */
  static String needed(Extender extender, Verb verb, String policy, ExtenderException failure) {
    return what(extender, verb, policy, failure) + ". The pod waits for it: " + failure.remedy();
  }

  /** For the pod's owner, whose pod goes on without the extender. */
  static String passedOver(Extender extender, Verb verb, String policy, ExtenderException failure) {
    return what(extender, verb, policy, failure) + "; the pod was placed without it";
  }

  private static String what(
      Extender extender, Verb verb, String policy, ExtenderException failure) {
    return "extender %s of SchedulingPolicy \"%s\", asked to %s (POST %s), %s"
        .formatted(
            extender.urlPrefix(),
            policy,
            verb.words(),
            extender.url(verb.of(extender).orElse("")),
            failure.getMessage());
  }
}

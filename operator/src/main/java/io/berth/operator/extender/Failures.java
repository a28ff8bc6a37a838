package io.berth.operator.extender;

import io.berth.engine.extender.Extender;

/** Messages about extenders that gave no usable response. */
final class Failures {
  private Failures() {}

  /** Returns the message for a pod that waits for the extender. */
  static String needed(Extender extender, Verb verb, String policy, ExtenderException failure) {
    return what(extender, verb, policy, failure) + ". The pod waits for it: " + failure.remedy();
  }

  /** Returns the message for a pod that was placed without the extender. */
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

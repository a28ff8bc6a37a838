package io.berth.webhook.admission;

import io.berth.crds.Annotations;
import io.berth.crds.schema.NearestName;
import io.berth.webhook.argument.ArgumentParser;
import io.berth.webhook.binding.Choice;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.PodSubject;
import io.berth.webhook.binding.ServedPolicy;
import io.berth.webhook.binding.Source;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.ObjectNames;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import java.util.List;
import java.util.Optional;

/**
 * Checks the policy that was selected for a pod: it must exist, be allowed in the pod's namespace,
 * and be usable by the engine. A policy that the namespace may not use is answered like one that
 * does not exist. An invalid reference in a binding is reported as a mistake of the platform, one
 * in the pod's annotations as a problem of the pod.
 */
final class PolicyCheck {

  /** The result of a check. */
  sealed interface Result {}

  /** The policy can be used, or none was selected. */
  record Usable() implements Result {}

  /** The pod stays pending until the policy can be used. */
  record Doubtful(Problem warning) implements Result {}

  /** The pod is denied. */
  record Refused(Problem problem) implements Result {}

  /** The policy is not applied. */
  record Unusable(PlatformMistake mistake) implements Result {}

  private final CatalogReader reader;
  private final ConfigCatalog catalog;
  private final PodSubject subject;

  PolicyCheck(CatalogReader reader, ConfigCatalog catalog, PodSubject subject) {
    this.reader = reader;
    this.catalog = catalog;
    this.subject = subject;
  }

  /** Checks the policy of a choice. */
  Result check(Choice choice) {
    if (choice.policy().isEmpty()) {
      return new Usable();
    }
    String name = choice.policy().get();
    if (choice.source() instanceof Source.OfPod && !ObjectNames.isValid(name)) {
      return new Refused(
          ofPod(
              ErrorCode.POLICY_NAME,
              Quoted.name(name)
                  + " cannot be the name of a SchedulingPolicy: "
                  + ObjectNames.RULE));
    }
    Optional<ServedPolicy> policy;
    try {
      policy = reader.policy(catalog, name, subject.namespace());
    } catch (LookupFailedException e) {
      String unknown = "Berth could not determine whether it exists (" + e.getMessage() + ")";
      return choice.source() instanceof Source.OfBinding binding
          ? mistake(binding, ErrorCode.LOOKUP_FAILED, name, "and " + unknown)
          : new Unusable(
              new PlatformMistake(ErrorCode.LOOKUP_FAILED, "SchedulingPolicy " + name, unknown));
    }
    return switch (choice.source()) {
      case Source.OfBinding binding -> ofBinding(binding, name, policy);
      case Source.OfPod ofPod -> ofPod(name, policy);
    };
  }

  private Result ofBinding(Source.OfBinding binding, String name, Optional<ServedPolicy> policy) {
    if (policy.isEmpty()) {
      return mistake(
          binding,
          ErrorCode.BINDING_REFERENCE_UNKNOWN,
          name,
          "which does not exist, or which namespace " + subject.namespace() + " may not use");
    }
    return catalog
        .obstacle(policy.get())
        .<Result>map(
            flaw -> mistake(binding, ErrorCode.POLICY_BROKEN, name, "which " + never(flaw)))
        .orElseGet(Usable::new);
  }

  private Result ofPod(String name, Optional<ServedPolicy> policy) {
    if (policy.isEmpty()) {
      return new Doubtful(
          ofPod(
              ErrorCode.POLICY_UNKNOWN,
              "there is no SchedulingPolicy \""
                  + name
                  + "\" that namespace "
                  + subject.namespace()
                  + " may use, so the pod stays pending until there is"
                  + NearestName.question(name, usable())));
    }
    return catalog
        .obstacle(policy.get())
        .<Result>map(
            flaw ->
                new Doubtful(
                    ofPod(
                        ErrorCode.POLICY_BROKEN,
                        "SchedulingPolicy \""
                            + name
                            + "\" "
                            + never(flaw)
                            + ", so the pod stays pending until the policy is valid")))
        .orElseGet(Usable::new);
  }

  private List<String> usable() {
    return catalog.policyNames().stream()
        .filter(each -> catalog.policy(each).map(this::isAllowed).orElse(false))
        .toList();
  }

  private boolean isAllowed(ServedPolicy policy) {
    return catalog.allows(policy.allowedNamespaces(), subject.namespace());
  }

  private static String never(Problem flaw) {
    return "is invalid, and no earlier revision of it can be used (" + flaw.where() + ")";
  }

  private static Problem ofPod(ErrorCode code, String message) {
    return new Problem(code, ArgumentParser.placeOf(Annotations.POLICY), message);
  }

  private static Result mistake(
      Source.OfBinding binding, ErrorCode code, String policy, String what) {
    return new Unusable(
        PlatformMistake.ofBinding(
            code,
            binding.key(),
            "spec.schedulingPolicy names SchedulingPolicy \"" + policy + "\", " + what));
  }
}

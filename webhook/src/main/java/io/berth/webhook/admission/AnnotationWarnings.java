package io.berth.webhook.admission;

import io.berth.crds.Annotations;
import io.berth.crds.SchedulerNames;
import io.berth.crds.binding.BindingField;
import io.berth.crds.schema.NearestName;
import io.berth.webhook.argument.ArgumentParser;
import io.berth.webhook.binding.Choice;
import io.berth.webhook.binding.PodSubject;
import io.berth.webhook.binding.Source;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Warnings about settings of a pod that have no effect or a surprising one. */
final class AnnotationWarnings {
  private static final List<String> PREFIXES =
      List.of(prefix(Annotations.NSC), prefix(Annotations.POLICY));
  private static final List<String> KNOWN =
      List.of(
          Annotations.NSC,
          Annotations.NSC_ARGS,
          Annotations.PSC,
          Annotations.PSC_ARGS,
          Annotations.POLICY,
          Annotations.GROUP,
          Annotations.GROUP_SIZE,
          Annotations.GROUP_MIN,
          Annotations.GROUP_TOPOLOGY,
          Annotations.GROUP_TOPOLOGY_MODE,
          Annotations.GROUP_DISRUPTION,
          Annotations.GROUP_TIMEOUT,
          Annotations.EXPECTED_DURATION,
          Annotations.VIRTUAL_REQUEST,
          Annotations.APPLIED,
          Annotations.TRACEPARENT);

  private final PodSubject subject;
  private final Set<String> schedulerNames;

  /**
   * Creates the warnings for one pod.
   *
   * @param schedulerNames the scheduler names that Berth serves
   */
  AnnotationWarnings(PodSubject subject, Set<String> schedulerNames) {
    this.subject = subject;
    this.schedulerNames = schedulerNames;
  }

  /**
   * Returns a warning for each annotation under one of Berth's prefixes that Berth does not read.
   */
  List<Problem> unknown() {
    List<Problem> warnings = new ArrayList<>();
    for (String key : subject.annotations().keySet()) {
      if (PREFIXES.contains(prefix(key)) && !KNOWN.contains(key)) {
        warnings.add(
            new Problem(
                ErrorCode.ANNOTATION_UNKNOWN,
                ArgumentParser.placeOf(key),
                "unknown annotation, so it has no effect" + question(key)));
      }
    }
    return warnings;
  }

  /** Asks whether the name was meant under the other prefix, or a similar name. */
  private static String question(String key) {
    String name = key.substring(key.indexOf('/') + 1);
    return PREFIXES.stream()
        .map(prefix -> prefix + name)
        .filter(KNOWN::contains)
        .findFirst()
        .map(other -> "; did you mean \"" + other + "\"?")
        .orElseGet(() -> NearestName.question(key, KNOWN));
  }

  private static String prefix(String key) {
    return key.substring(0, key.indexOf('/') + 1);
  }

  /** Returns a warning for each annotation or label that is overridden by a binding. */
  List<Problem> overridden(List<Choice> choices) {
    List<Problem> warnings = new ArrayList<>();
    for (Choice choice : choices) {
      String key =
          switch (choice.field()) {
            case NODE_CONFIGS -> Annotations.NSC;
            case POD_CONFIGS -> Annotations.PSC;
            case SCHEDULING_POLICY -> Annotations.POLICY;
            case GROUP -> Annotations.GROUP;
            case QUEUE -> Annotations.QUEUE_LABEL;
          };
      boolean isLabel = choice.field() == BindingField.QUEUE;
      Optional<String> own = isLabel ? subject.label(key) : subject.annotation(key);
      if (own.isPresent()
          && choice.source() instanceof Source.OfBinding binding
          && !isOf(own.get(), choice)) {
        warnings.add(
            new Problem(
                ErrorCode.ANNOTATION_OVERRIDDEN,
                isLabel ? placeOfLabel(key) : ArgumentParser.placeOf(key),
                "is overridden by SchedulerConfigBinding "
                    + binding.key()
                    + ", which has podOverrides: Deny"
                    + schedulerNote(choice)));
      }
    }
    return warnings;
  }

  /** Returns the place of a label in messages. */
  static String placeOfLabel(String key) {
    return "metadata.labels[" + key + "]";
  }

  /** Returns whether the webhook itself wrote the value in an earlier review of the pod. */
  private static boolean isOf(String value, Choice choice) {
    return switch (choice.field()) {
      case GROUP -> choice.group().isPresent();
      case QUEUE -> Optional.of(value).equals(choice.queue());
      case NODE_CONFIGS, POD_CONFIGS, SCHEDULING_POLICY ->
          Optional.of(value).equals(choice.policy());
    };
  }

  /** Returns a warning if the pod has a policy, but another scheduler schedules it. */
  Optional<Problem> withoutEffect(Choice policy) {
    return namesAnotherScheduler(policy)
        ? Optional.of(
            new Problem(
                ErrorCode.POLICY_WITHOUT_SCHEDULER,
                "spec.schedulerName",
                "is "
                    + Quoted.name(subject.schedulerName())
                    + ", so that scheduler places the pod. Unless it is another Berth,"
                    + " SchedulingPolicy "
                    + policy.policy().map(Quoted::name).orElse("")
                    + " has no effect: remove schedulerName, or set it to "
                    + SchedulerNames.BERTH))
        : Optional.empty();
  }

  private String schedulerNote(Choice choice) {
    return choice.field() == BindingField.SCHEDULING_POLICY && namesAnotherScheduler(choice)
        ? "; the pod keeps its schedulerName " + Quoted.name(subject.schedulerName())
        : "";
  }

  /**
   * Returns whether the pod names a scheduler that is not Berth; the pod keeps it regardless of the
   * policy.
   */
  private boolean namesAnotherScheduler(Choice policy) {
    String own = subject.schedulerName();
    return !own.isEmpty()
        && !own.equals(SchedulerNames.KUBERNETES_DEFAULT)
        && !own.equals(SchedulerNames.BERTH)
        && !schedulerNames.contains(own)
        && !own.equals(policy.schedulerName().orElse(""));
  }
}

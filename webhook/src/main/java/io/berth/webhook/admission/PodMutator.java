package io.berth.webhook.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Annotations;
import io.berth.crds.SchedulerNames;
import io.berth.crds.binding.BindingField;
import io.berth.webhook.argument.ArgumentParser;
import io.berth.webhook.binding.BindingKey;
import io.berth.webhook.binding.Choice;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.Controller;
import io.berth.webhook.binding.Owner;
import io.berth.webhook.binding.PodSubject;
import io.berth.webhook.binding.Resolution;
import io.berth.webhook.binding.Source;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.merge.MergeOutcome;
import io.berth.webhook.merge.RenderedConfig;
import io.berth.webhook.merge.SpecMerge;
import io.berth.webhook.template.PodFacts;
import io.berth.webhook.template.TemplateKind;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Applies the configs, the policy, the group, and the queue that bindings and annotations select
 * for a pod.
 *
 * <p>Errors in the pod itself deny it. Errors in the platform's configuration never deny a pod: a
 * binding that is invalid in one field contributes nothing to the pod, while other bindings and the
 * pod's own annotations take effect. Mutating a pod again changes nothing. Thread-safe; the same
 * pod and catalog give the same verdict.
 */
public final class PodMutator {
  private final CatalogReader reader;
  private final Set<String> schedulerNames;

  /** Creates a mutator that looks up names that the catalog does not contain. */
  public PodMutator(ConfigLookup lookup, InstantSource clock) {
    this(lookup, clock, Set.of(SchedulerNames.BERTH));
  }

  /**
   * Creates a mutator for a Berth that serves several scheduler names.
   *
   * @param schedulerNames the scheduler names that Berth serves
   */
  public PodMutator(ConfigLookup lookup, InstantSource clock, Set<String> schedulerNames) {
    this.schedulerNames = Set.copyOf(schedulerNames);
    this.reader = new CatalogReader(lookup, clock);
  }

  /**
   * Mutates a stored pod as if it were created now.
   *
   * @param namespace the namespace of the pod
   * @param pod the pod as JSON; it is not changed
   */
  public PodVerdict mutate(String namespace, JsonNode pod, ConfigCatalog catalog) {
    return mutate(PodSubject.of(namespace, pod), pod, catalog);
  }

  /**
   * Mutates a pod whose JSON lacks some of the properties that bindings use.
   *
   * @param subject the properties of the pod that bindings use
   */
  public PodVerdict mutate(PodSubject subject, JsonNode pod, ConfigCatalog catalog) {
    return mutate(subject, pod, catalog, false, reader);
  }

  /**
   * Mutates a pod that is being created.
   *
   * @param inDoubt whether the catalog may be out of date; if so, the annotation {@code applied}
   *     records it, and names that it does not contain are looked up
   */
  PodVerdict mutate(PodSubject subject, JsonNode pod, ConfigCatalog catalog, boolean inDoubt) {
    return mutate(subject, pod, catalog, inDoubt, reader.forReview(!inDoubt));
  }

  private PodVerdict mutate(
      PodSubject subject,
      JsonNode pod,
      ConfigCatalog catalog,
      boolean inDoubt,
      CatalogReader names) {
    OnePod admission = new OnePod(subject, pod, catalog, false, inDoubt, names);
    PodVerdict verdict = admission.verdict();
    List<BindingKey> dryRun = admission.resolution.dryRun();
    if (dryRun.isEmpty()
        || !(verdict
            instanceof PodVerdict.Admitted(var patch, var warnings, var mistakes, var audit))) {
      return verdict;
    }
    OnePod trial = new OnePod(subject, pod, catalog, true, inDoubt, names);
    PodVerdict enforced = trial.verdict();
    boolean same =
        enforced instanceof PodVerdict.Admitted other
            && PodPatch.effects(other.patch()).equals(PodPatch.effects(patch));
    String change =
        switch (enforced) {
          case PodVerdict.Denied denied -> "the pod would be denied: " + denied.message();
          case PodVerdict.Admitted other ->
              same ? "nothing would change" : "the patch would be " + other.patch();
        };
    List<Problem> all = new ArrayList<>(warnings);
    if (!same) {
      all.add(
          new Problem(
              ErrorCode.DRY_RUN,
              "SchedulerConfigBinding " + deciders(trial.resolution, dryRun),
              "is a dry run; if it were enforced, it would change this pod (see the audit log)"));
    }
    return new PodVerdict.Admitted(patch, List.copyOf(all), mistakes, Map.of("dry-run", change));
  }

  /** Returns the names of the DryRun bindings that would decide at least one field. */
  private static String deciders(Resolution trial, List<BindingKey> dryRun) {
    return trial.choices().stream()
        .map(Choice::source)
        .filter(Source.OfBinding.class::isInstance)
        .map(source -> ((Source.OfBinding) source).key())
        .filter(dryRun::contains)
        .distinct()
        .map(BindingKey::toString)
        .collect(Collectors.joining(", "));
  }

  /** The work on one pod. */
  private final class OnePod {
    private final PodSubject subject;
    private final JsonNode pod;
    private final ConfigCatalog catalog;
    private final boolean inDoubt;
    private final CatalogReader names;
    private final PolicyCheck policies;
    private final SoundBindings bindings;
    private Resolution resolution;
    private final List<Problem> problems = new ArrayList<>();
    private final List<PlatformMistake> mistakes = new ArrayList<>();
    private final List<Problem> warnings = new ArrayList<>();

    OnePod(
        PodSubject subject,
        JsonNode pod,
        ConfigCatalog catalog,
        boolean withDryRun,
        boolean inDoubt,
        CatalogReader names) {
      this.names = names;
      this.inDoubt = inDoubt;
      this.subject = subject;
      this.pod = pod;
      this.catalog = catalog;
      Owner owner = subject.controller().map(Controller::asOwner).orElse(new Owner("", ""));
      PodFacts facts =
          new PodFacts(
              subject.namespace(),
              subject.labels(),
              subject.annotations(),
              owner.kind(),
              owner.name());
      policies = new PolicyCheck(names, catalog, subject);
      FieldRenderer renderer = new FieldRenderer(names, catalog, subject, facts);
      bindings = new SoundBindings(subject, catalog, withDryRun, renderer, policies);
      resolution = bindings.resolve();
    }

    PodVerdict verdict() {
      Map<BindingField, FieldRendering.Done> rendered = render();
      Optional<MergeOutcome.Merged> merged = merge(rendered);
      while (merged.isEmpty()) { // what a binding that was set aside overrode counts again
        problems.clear();
        mistakes.clear();
        resolution = bindings.resolve();
        rendered = render();
        merged = merge(rendered);
      }
      return verdict(rendered, merged.get());
    }

    private PodVerdict verdict(
        Map<BindingField, FieldRendering.Done> rendered, MergeOutcome.Merged merged) {
      AnnotationWarnings annotations = new AnnotationWarnings(subject, schedulerNames);
      warnings.addAll(annotations.unknown());
      warnings.addAll(annotations.overridden(resolution.choices()));
      Optional<Choice> policy = resolution.choice(BindingField.SCHEDULING_POLICY);
      policy.ifPresent(this::checkPolicy);
      checkQuota();
      mistakes.addAll(bindings.mistakes());
      if (!problems.isEmpty()) {
        return new PodVerdict.Denied(List.copyOf(problems));
      }
      warnings.addAll(merged.notes());
      mistakes.forEach(mistake -> warnings.add(mistake.warning()));
      PodPatch patch = new PodPatch(pod);
      patch.spec(merged.fields());
      ObjectNode applied = applied(rendered);
      policy.ifPresent(choice -> apply(choice, patch, applied));
      resolution.choice(BindingField.GROUP).ifPresent(choice -> group(choice, patch, applied));
      resolution.choice(BindingField.QUEUE).ifPresent(choice -> queue(choice, patch, applied));
      if (inDoubt) {
        applied.put("inDoubt", true);
      }
      if (applied.isEmpty()) {
        patch.removeAnnotation(Annotations.APPLIED);
      } else if (patch.hasRoomFor(Annotations.APPLIED, applied.toString())) {
        patch.annotation(Annotations.APPLIED, applied.toString());
      } else {
        // Only this annotation may be omitted. If the policy does not fit, the API server must
        // reject the pod; otherwise users could bypass a binding by filling up the annotations.
        patch.removeAnnotation(Annotations.APPLIED);
        warnings.add(
            new Problem(
                ErrorCode.APPLIED_LEFT_OUT,
                ArgumentParser.placeOf(Annotations.APPLIED),
                "was omitted, because the pod's annotations would exceed the API server's limit of "
                    + PodPatch.MOST_ANNOTATION_BYTES
                    + " bytes: make the annotations smaller"));
      }
      return new PodVerdict.Admitted(
          patch.operations(), List.copyOf(warnings), List.copyOf(mistakes), Map.of());
    }

    private Map<BindingField, FieldRendering.Done> render() {
      Map<BindingField, FieldRendering.Done> rendered = new LinkedHashMap<>();
      for (Choice choice : resolution.choices()) {
        if (choice.field() != BindingField.NODE_CONFIGS
            && choice.field() != BindingField.POD_CONFIGS) {
          continue;
        }
        switch (bindings.render(choice)) {
          case FieldRendering.Done done -> {
            mistakes.addAll(done.mistakes());
            if (done.mistakes().isEmpty() || !done.configs().isEmpty()) {
              rendered.put(choice.field(), done);
            }
          }
          case FieldRendering.AppTeamProblems app -> problems.addAll(app.problems());
          case FieldRendering.PlatformProblem platform -> mistakes.add(platform.mistake());
        }
      }
      for (TemplateKind kind : TemplateKind.values()) {
        bindings.renderer().argumentsWithoutConfigs(kind).ifPresent(problems::add);
      }
      return rendered;
    }

    /**
     * Merges the rendered configs.
     *
     * @return empty if they have to be rendered again, because a binding whose configs cannot be
     *     merged was set aside, or the newer revision of a config was withdrawn
     */
    private Optional<MergeOutcome.Merged> merge(Map<BindingField, FieldRendering.Done> rendered) {
      while (true) {
        List<RenderedConfig> configs = new ArrayList<>();
        rendered.values().forEach(done -> configs.addAll(done.configs()));
        switch (SpecMerge.merge(pod.path("spec"), configs)) {
          case MergeOutcome.Merged merged -> {
            return Optional.of(merged);
          }
          case MergeOutcome.Refused refused -> {
            if (bindings.withdrawNewer(refused.source())) {
              return Optional.empty();
            }
            FieldRendering.Done culprit =
                rendered.values().stream()
                    .filter(
                        done ->
                            done.configs().stream()
                                .anyMatch(config -> config.source().equals(refused.source())))
                    .findFirst()
                    .orElseThrow();
            if (culprit.source() instanceof Source.OfBinding(BindingKey key, long generation)) {
              bindings.setAside(
                  key,
                  PlatformMistake.ofBinding(
                      ErrorCode.BINDING_REFUSED,
                      key,
                      ErrorCode.TOO_MANY_TERMS.id() + ": " + refused.reason()));
              return Optional.empty();
            }
            problems.add(
                new Problem(
                    ErrorCode.TOO_MANY_TERMS,
                    ArgumentParser.placeOf(Annotations.NSC),
                    refused.reason()));
            rendered.values().remove(culprit);
          }
        }
      }
    }

    private void checkPolicy(Choice choice) {
      switch (policies.check(choice)) {
        case PolicyCheck.Usable usable -> {}
        case PolicyCheck.Doubtful(Problem warning) -> warnings.add(warning);
        case PolicyCheck.Refused(Problem problem) -> problems.add(problem);
        case PolicyCheck.Unusable(PlatformMistake mistake) -> mistakes.add(mistake);
      }
    }

    private void checkQuota() {
      try {
        QuotaGuardCheck.check(names, subject.namespace(), pod, catalog).ifPresent(problems::add);
      } catch (LookupFailedException e) {
        mistakes.add(
            new PlatformMistake(
                ErrorCode.LOOKUP_FAILED,
                "spec.priorityClassName",
                "Berth could not determine whether the namespace has the ResourceQuota that the"
                    + " class requires ("
                    + e.getMessage()
                    + "); the pod is admitted"));
      }
    }

    /** Sets the policy annotation, and the scheduler unless the pod names its own. */
    private void apply(Choice choice, PodPatch patch, ObjectNode applied) {
      ObjectNode entry = applied.putObject("schedulingPolicy");
      entry.put("by", by(choice.source()));
      choice
          .policy()
          .ifPresentOrElse(
              name -> {
                patch.annotation(Annotations.POLICY, name);
                entry.put("name", name);
              },
              () -> patch.removeAnnotation(Annotations.POLICY)); // the binding sets no policy
      String current = subject.schedulerName();
      if (current.isEmpty() || current.equals(SchedulerNames.KUBERNETES_DEFAULT)) {
        String scheduler = choice.schedulerName().orElse(SchedulerNames.BERTH);
        patch.schedulerName(scheduler);
        entry.put("schedulerName", scheduler);
      } else {
        entry.put("schedulerName", current);
        new AnnotationWarnings(subject, schedulerNames)
            .withoutEffect(choice)
            .ifPresent(warnings::add);
      }
    }

    private void group(Choice choice, PodPatch patch, ObjectNode applied) {
      boolean held = catalog.held().isOf(choice.source());
      Map<String, String> annotations = GroupAnnotations.of(subject, resolution, catalog);
      if (annotations.isEmpty() && held) {
        annotations = Map.of(Annotations.GROUP, GroupAnnotations.NONE);
      }
      annotations.forEach(patch::annotation);
      if (!held) {
        return;
      }
      for (String key : GroupAnnotations.WRITTEN) {
        if (!annotations.containsKey(key)) {
          patch.removeAnnotation(key); // the binding removes it
        }
      }
      applied.putObject("group").put("by", by(choice.source()));
    }

    /** Sets the label with the queue of a binding. */
    private static void queue(Choice choice, PodPatch patch, ObjectNode applied) {
      if (choice.source() instanceof Source.OfBinding && choice.queue().isPresent()) {
        String name = choice.queue().get();
        patch.label(Annotations.QUEUE_LABEL, name);
        applied.putObject("queue").put("by", by(choice.source())).put("name", name);
      }
    }

    private ObjectNode applied(Map<BindingField, FieldRendering.Done> rendered) {
      ObjectNode applied = JsonNodeFactory.instance.objectNode();
      rendered.forEach(
          (field, done) -> {
            ObjectNode entry =
                applied.putObject(
                    field == BindingField.NODE_CONFIGS ? "nodeConfigs" : "podConfigs");
            entry.put("by", by(done.source()));
            done.references().forEach(entry.putArray("configs")::add);
            if (!done.refused().isEmpty()) {
              done.refused().forEach(entry.putArray("refused")::add);
            }
          });
      return applied;
    }

    private static String by(Source source) {
      return switch (source) {
        case Source.OfPod ofPod -> "pod";
        case Source.OfBinding binding -> "binding " + binding.key() + "@" + binding.generation();
      };
    }
  }
}

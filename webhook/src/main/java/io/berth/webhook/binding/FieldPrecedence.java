package io.berth.webhook.binding;

import io.berth.crds.Annotations;
import io.berth.crds.SchedulerNames;
import io.berth.crds.binding.BindingField;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The competition, for each field, between the bindings that select a pod and the pod's own
 * annotations, or its label for the queue.
 */
final class FieldPrecedence {
  private final PodSubject pod;
  private final List<BoundBinding> reaching;
  private final List<BindingKey> outside;

  /**
   * Creates a precedence for one pod.
   *
   * @param reaching the bindings that select the pod, including DryRun ones, in the order of
   *     precedence
   * @param outside the bindings whose selectors match the pod, but whose rollout does not include
   *     it
   */
  FieldPrecedence(PodSubject pod, List<BoundBinding> reaching, List<BindingKey> outside) {
    this.pod = pod;
    this.reaching = List.copyOf(reaching);
    this.outside = List.copyOf(outside);
  }

  List<BoundBinding> reaching() {
    return reaching;
  }

  /**
   * Decides each field.
   *
   * @param enforced selects the DryRun bindings that also compete
   * @param broken selects the bindings that cannot be applied: where one of them would win, the
   *     next binding that denies overrides decides, or else the pod's own annotations
   */
  Resolution resolve(Predicate<BindingKey> enforced, Predicate<BoundBinding> broken) {
    List<Choice> choices = new ArrayList<>(3);
    List<OverriddenBinding> losses = new ArrayList<>();
    for (BindingField field : BindingField.values()) {
      List<BoundBinding> setting =
          reaching.stream()
              .filter(binding -> binding.sets(field))
              .filter(binding -> !binding.isDryRun() || enforced.test(binding.key()))
              .toList();
      if (!setting.isEmpty()
          && mayWin(setting.getFirst(), field)
          && broken.test(setting.getFirst())) {
        replace(field, setting, broken, choices, losses);
      } else {
        decide(field, setting, choices, losses);
      }
    }
    return new Resolution(
        List.copyOf(choices),
        List.copyOf(losses),
        reaching.stream().filter(BoundBinding::isDryRun).map(BoundBinding::key).toList(),
        outside);
  }

  private void decide(
      BindingField field,
      List<BoundBinding> setting,
      List<Choice> choices,
      List<OverriddenBinding> losses) {
    Optional<String> own = own(field);
    if (own.isPresent() && (setting.isEmpty() || !beats(setting.getFirst(), field, own.get()))) {
      choices.add(ofPod(field, own.get()));
      for (BoundBinding loser : setting) {
        losses.add(
            new OverriddenBinding(
                loser.key(), field, new Source.OfPod(), "the pod's own annotations decide"));
      }
    } else if (!setting.isEmpty()) {
      BoundBinding winner = setting.getFirst();
      Choice choice = choice(field, winner);
      choices.add(choice);
      for (BoundBinding loser : setting.subList(1, setting.size())) {
        losses.add(
            new OverriddenBinding(
                loser.key(), field, choice.source(), winner.reasonToWinOver(loser)));
      }
    }
  }

  /**
   * Decides a field whose first binding cannot be applied. No binding that allows overrides takes
   * its place: the pods might be sent where nobody wants them. One that denies overrides holds
   * anyway.
   */
  private void replace(
      BindingField field,
      List<BoundBinding> setting,
      Predicate<BoundBinding> broken,
      List<Choice> choices,
      List<OverriddenBinding> losses) {
    BoundBinding first = setting.getFirst();
    Source source = new Source.OfBinding(first.key(), first.generation());
    Optional<BoundBinding> next =
        setting.stream().filter(each -> each.deniesOverrides() && !broken.test(each)).findFirst();
    next.map(binding -> choice(field, binding))
        .or(() -> own(field).map(own -> ofPod(field, own)))
        .ifPresent(choices::add);
    for (BoundBinding loser : setting.subList(1, setting.size())) {
      if (!Optional.of(loser).equals(next)) {
        losses.add(
            new OverriddenBinding(
                loser.key(),
                field,
                source,
                first.reasonToWinOver(loser)
                    + "; it cannot be applied, and no binding that allows overrides takes its"
                    + " place"));
      }
    }
  }

  /** Returns whether the first binding that sets a field decides it, if it can be applied. */
  private boolean mayWin(BoundBinding first, BindingField field) {
    return own(field).map(own -> beats(first, field, own)).orElse(true);
  }

  private static Choice ofPod(BindingField field, String own) {
    return new Choice(
        field,
        new Source.OfPod(),
        List.of(),
        field == BindingField.SCHEDULING_POLICY ? Optional.of(own) : Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        field == BindingField.QUEUE ? Optional.of(own) : Optional.empty());
  }

  /**
   * Returns the fields whose configuration can affect the pod. Whether a binding can be applied
   * depends on all of its fields, also on those that it does not decide.
   */
  Set<BindingField> fieldsInPlay() {
    Set<BindingField> fields = EnumSet.noneOf(BindingField.class);
    for (BindingField field : BindingField.values()) {
      if (own(field).isPresent() || reaching.stream().anyMatch(binding -> binding.sets(field))) {
        fields.add(field);
      }
    }
    return fields;
  }

  /**
   * Passes the choices of each DryRun binding, as if it were the only DryRun binding to be
   * enforced, to a callback. One pass covers all of them, because only the first enforced binding
   * that sets a field matters.
   *
   * @param broken selects the bindings that cannot be applied
   */
  void eachDryRunAlone(Predicate<BoundBinding> broken, Consumer<Choice> decided) {
    for (BindingField field : BindingField.values()) {
      Optional<String> own = own(field);
      boolean onlyDenying = false; // behind a binding that cannot be applied
      for (BoundBinding binding : reaching) {
        if (!binding.sets(field) || (onlyDenying && !binding.deniesOverrides())) {
          continue;
        }
        if (broken.test(binding)) {
          onlyDenying |= !binding.isDryRun();
          continue;
        }
        if (!binding.isDryRun()) {
          break;
        }
        if (own.isEmpty() || beats(binding, field, own.get())) {
          decided.accept(choice(field, binding));
        }
      }
    }
  }

  /**
   * Returns whether a binding takes precedence over what the pod itself says. It also does so if
   * both name the same policy or queue: the webhook writes those of a binding into the pod, where
   * they must not be mistaken for the pod's own when it is reviewed again.
   */
  private static boolean beats(BoundBinding binding, BindingField field, String own) {
    return binding.deniesOverrides()
        || (field == BindingField.SCHEDULING_POLICY
            && own.equals(binding.spec().schedulingPolicy()))
        || (field == BindingField.QUEUE && own.equals(binding.spec().queue()));
  }

  /** Returns the choice that a binding makes for a field that it sets. */
  static Choice choice(BindingField field, BoundBinding winner) {
    boolean policy = field == BindingField.SCHEDULING_POLICY;
    return new Choice(
        field,
        new Source.OfBinding(winner.key(), winner.generation()),
        winner.configs(field),
        policy ? Optional.ofNullable(winner.spec().schedulingPolicy()) : Optional.empty(),
        policy
            ? Optional.of(
                Optional.ofNullable(winner.spec().schedulerName()).orElse(SchedulerNames.BERTH))
            : Optional.empty(),
        field == BindingField.GROUP ? Optional.ofNullable(winner.spec().group()) : Optional.empty(),
        field == BindingField.QUEUE
            ? Optional.ofNullable(winner.spec().queue())
            : Optional.empty());
  }

  /** Returns what the pod itself says about a field; empty if it says nothing. */
  private Optional<String> own(BindingField field) {
    return switch (field) {
      case NODE_CONFIGS -> pod.annotation(Annotations.NSC);
      case POD_CONFIGS -> pod.annotation(Annotations.PSC);
      case SCHEDULING_POLICY -> pod.annotation(Annotations.POLICY);
      case GROUP -> pod.annotation(Annotations.GROUP);
      case QUEUE -> pod.label(Annotations.QUEUE_LABEL);
    };
  }
}

package io.berth.webhook.binding;

import io.berth.crds.Annotations;
import io.berth.crds.SchedulerNames;
import io.berth.crds.binding.BindingField;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The bindings that select a pod, and the decision, for each field, between them and the
 * annotations of the pod.
 */
final class Contest {
  private final PodSubject pod;
  private final List<BoundBinding> reaching;
  private final List<BindingKey> outside;

  /**
   * @param reaching the bindings that reach the pod, including DryRun ones, in the order of
   *     precedence
   * @param outside the bindings whose selectors match, but whose rollout does not include the pod
   */
  Contest(PodSubject pod, List<BoundBinding> reaching, List<BindingKey> outside) {
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
   * @param enforced which DryRun bindings compete as well
   */
  Resolution resolve(Predicate<BindingKey> enforced) {
    List<Choice> choices = new ArrayList<>(3);
    List<Loss> losses = new ArrayList<>();
    for (BindingField field : BindingField.values()) {
      List<BoundBinding> setting =
          reaching.stream()
              .filter(binding -> binding.sets(field))
              .filter(binding -> !binding.isDryRun() || enforced.test(binding.key()))
              .toList();
      decide(field, setting, choices, losses);
    }
    return new Resolution(
        List.copyOf(choices),
        List.copyOf(losses),
        reaching.stream().filter(BoundBinding::isDryRun).map(BoundBinding::key).toList(),
        outside);
  }

  private void decide(
      BindingField field, List<BoundBinding> setting, List<Choice> choices, List<Loss> losses) {
    Optional<String> own = pod.annotation(annotation(field));
    if (own.isPresent() && (setting.isEmpty() || !beats(setting.getFirst(), field, own.get()))) {
      choices.add(
          new Choice(
              field,
              new Source.OfPod(),
              List.of(),
              field == BindingField.SCHEDULING_POLICY ? own : Optional.empty(),
              Optional.empty(),
              Optional.empty()));
      for (BoundBinding loser : setting) {
        losses.add(
            new Loss(loser.key(), field, new Source.OfPod(), "the pod's own annotations decide"));
      }
    } else if (!setting.isEmpty()) {
      BoundBinding winner = setting.getFirst();
      Choice choice = choice(field, winner);
      choices.add(choice);
      for (BoundBinding loser : setting.subList(1, setting.size())) {
        losses.add(new Loss(loser.key(), field, choice.source(), winner.reasonToWinOver(loser)));
      }
    }
  }

  /**
   * Calls back with the choices of each DryRun binding as if it alone were enforced. One pass for
   * all of them: of the enforced bindings only the first that sets a field matters.
   */
  void eachDryRunAlone(Consumer<Choice> decided) {
    for (BindingField field : BindingField.values()) {
      Optional<String> own = pod.annotation(annotation(field));
      for (BoundBinding binding : reaching) {
        if (!binding.sets(field)) {
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
   * Returns whether a binding decides in spite of the pod's annotation. Where both name the same
   * policy the binding does: the webhook writes a binding's policy into the annotation, and when it
   * sees the pod again, this must not be mistaken for the pod's own annotation.
   */
  private static boolean beats(BoundBinding binding, BindingField field, String annotation) {
    return binding.deniesOverrides()
        || (field == BindingField.SCHEDULING_POLICY
            && annotation.equals(binding.spec().schedulingPolicy()));
  }

  private static Choice choice(BindingField field, BoundBinding winner) {
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
        field == BindingField.GROUP
            ? Optional.ofNullable(winner.spec().group())
            : Optional.empty());
  }

  private static String annotation(BindingField field) {
    return switch (field) {
      case NODE_CONFIGS -> Annotations.NSC;
      case POD_CONFIGS -> Annotations.PSC;
      case SCHEDULING_POLICY -> Annotations.POLICY;
      case GROUP -> Annotations.GROUP;
    };
  }
}

package io.berth.webhook.binding;

import io.berth.crds.binding.BindingField;
import java.util.List;
import java.util.Optional;

/**
 * The resolved choices for one pod.
 *
 * @param choices at most one per field, in the order of {@link BindingField}
 * @param losses the bindings that competed and lost
 * @param dryRun the DryRun bindings that select the pod; they do not compete
 * @param outsideRollout the bindings whose selectors match the pod, but whose rollout does not
 *     include it; they do not compete
 */
public record Resolution(
    List<Choice> choices,
    List<OverriddenBinding> losses,
    List<BindingKey> dryRun,
    List<BindingKey> outsideRollout) {

  /** Returns the choice for this field, if there is one. */
  public Optional<Choice> choice(BindingField field) {
    return choices.stream().filter(each -> each.field() == field).findFirst();
  }
}

package io.berth.webhook.binding;

import io.berth.crds.binding.BindingField;
import java.util.Map;
import java.util.Optional;

/**
 * The decisions of bindings with {@code podOverrides: Deny}, which hold until a pod is placed,
 * regardless of the pod's annotations. A binding that cannot be applied holds no pod that was
 * admitted without it.
 */
public final class HeldDecisions {
  private final ConfigCatalog catalog;

  HeldDecisions(ConfigCatalog catalog) {
    this.catalog = catalog;
  }

  /**
   * Returns the policy that a binding enforces for a pod in its current state. A binding that
   * decided the policy at admission still applies if the pod's labels have changed since. A binding
   * whose policy does not exist, cannot be used at all, or is not allowed in the namespace enforces
   * nothing, as for new pods.
   *
   * @param admittedBy the binding that decided it then, by the pod's own word: it is checked
   */
  public Optional<HeldPolicy> policy(PodSubject pod, Optional<BindingKey> admittedBy) {
    BindingReferences references = new BindingReferences(catalog, pod.namespace());
    return holding(BindingField.SCHEDULING_POLICY, pod, admittedBy)
        .map(
            binding ->
                new HeldPolicy(
                    binding.key(), Optional.ofNullable(binding.spec().schedulingPolicy())))
        .filter(held -> held.policy().map(references::policyHolds).orElse(true));
  }

  /**
   * Returns the binding that decides the group of a pod in its current state, or decided it when
   * the pod was admitted.
   *
   * @param admittedBy the binding that decided it then, by the pod's own word: it is checked
   */
  public Optional<BindingKey> group(PodSubject pod, Optional<BindingKey> admittedBy) {
    return holding(BindingField.GROUP, pod, admittedBy).map(BoundBinding::key);
  }

  /**
   * Returns the binding that decides the queue of a pod in its current state, or decided it when
   * the pod was admitted, if the pod may not be in another one.
   *
   * @param admittedBy the binding that decided it then, by the pod's own word: it is checked
   * @param asked the queue that the pod is to be in
   */
  public Optional<BindingKey> queue(
      PodSubject pod, Optional<BindingKey> admittedBy, Optional<String> asked) {
    return holding(BindingField.QUEUE, pod, admittedBy)
        .filter(binding -> !Optional.ofNullable(binding.spec().queue()).equals(asked))
        .map(BoundBinding::key);
  }

  /** Returns whether a decision of the source cannot be changed until the pod is scheduled. */
  public boolean isOf(Source source) {
    return source instanceof Source.OfBinding(BindingKey key, long generation)
        && catalog.binding(key).filter(BoundBinding::deniesOverrides).isPresent();
  }

  private Optional<BoundBinding> holding(
      BindingField field, PodSubject pod, Optional<BindingKey> admittedBy) {
    Map<String, String> labels = catalog.namespaceLabels(pod.namespace());
    return catalog
        .resolveApplicable(pod)
        .choice(field)
        .map(Choice::source)
        .filter(this::isOf)
        .flatMap(source -> catalog.binding(((Source.OfBinding) source).key()))
        .or(
            () ->
                admittedBy
                    .flatMap(catalog::binding)
                    .filter(binding -> binding.deniesOverrides() && !binding.isDryRun())
                    .filter(binding -> binding.sets(field))
                    .filter(binding -> binding.reachesNamespace(pod.namespace(), labels)));
  }
}

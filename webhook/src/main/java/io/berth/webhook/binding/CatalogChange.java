package io.berth.webhook.binding;

import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.binding.BindingField;
import io.berth.webhook.template.TemplateKind;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.CustomResource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/** A catalog before and after one config or binding is created or changed. */
public final class CatalogChange {
  private final ConfigCatalog before;
  private final ConfigCatalog after;
  private final BiPredicate<Choice, PodSubject> isOfObject;

  /** The binding that changes; empty if a config does. */
  private final Optional<BindingKey> binding;

  /** The properties of a pod that affect its resolution before and after the change. */
  private record Essence(PodSubject before, PodSubject after) {}

  private CatalogChange(
      ConfigCatalog before,
      ConfigCatalog after,
      BiPredicate<Choice, PodSubject> isOfObject,
      Optional<BindingKey> binding) {
    this.before = before;
    this.after = after;
    this.isOfObject = isOfObject;
    this.binding = binding;
  }

  /**
   * Returns the change by a config, which is rendered for all workloads, as after its rollout.
   *
   * @param object a NodeSchedulerConfig or PodSchedulerConfig with its name and spec
   */
  public static CatalogChange ofConfig(ConfigCatalog before, CustomResource<?, ?> object) {
    ServedConfig config = CatalogEntries.ofConfig(object);
    BindingField field =
        config.kind() == TemplateKind.NODE ? BindingField.NODE_CONFIGS : BindingField.POD_CONFIGS;
    return new CatalogChange(
        before,
        before.with(config),
        (choice, pod) -> choice.field() == field && choice.configNames(pod).contains(config.name()),
        Optional.empty());
  }

  /**
   * Returns the change by a binding, which is taken to be as old as the one that it replaces.
   *
   * @param object a binding with its namespace, name, and spec
   * @param now the creation timestamp of a binding that does not exist yet
   */
  public static CatalogChange ofBinding(
      ConfigCatalog before, SchedulerConfigBinding object, String now) {
    ObjectMeta metadata = object.getMetadata();
    BindingKey key = new BindingKey(metadata.getNamespace(), metadata.getName());
    metadata.setCreationTimestamp(now);
    before
        .binding(key)
        .ifPresent(
            present -> {
              metadata.setUid(present.uid());
              metadata.setCreationTimestamp(present.created());
              metadata.setGeneration(present.generation() + 1);
            });
    return new CatalogChange(
        before,
        before.with(BoundBinding.of(object, before.operatorNamespace())),
        (choice, pod) -> choice.source() instanceof Source.OfBinding of && of.key().equals(key),
        Optional.of(key));
  }

  /** Returns the catalog before the change. */
  public ConfigCatalog before() {
    return before;
  }

  /** Returns the catalog after the change. */
  public ConfigCatalog after() {
    return after;
  }

  /**
   * Returns whether the object decides something about a pod, before or after the change, or lets
   * another one decide.
   *
   * @param pod the pod before anything is rendered into it
   */
  public boolean concerns(PodSubject pod) {
    Resolution today = before.resolveApplicable(pod);
    Resolution then = after.resolveApplicable(pod);
    return !today.choices().equals(then.choices())
        || mentionsObject(today, pod)
        || mentionsObject(then, pod);
  }

  private boolean mentionsObject(Resolution resolution, PodSubject pod) {
    return resolution.choices().stream().anyMatch(choice -> isOfObject.test(choice, pod));
  }

  /**
   * Returns a test that selects the stored pods that the change may concern. What was rendered into
   * a pod can hide that a binding decides about it, so every pod that the binding selects counts.
   * The test remembers its answers, and is not thread-safe.
   */
  public Predicate<PodSubject> mayConcern() {
    Map<Essence, Boolean> known = new HashMap<>();
    return pod ->
        known.computeIfAbsent(
            new Essence(before.essence(pod), after.essence(pod)),
            absent -> isSelected(pod) || concerns(pod));
  }

  private boolean isSelected(PodSubject pod) {
    return binding.isPresent() && (isSelected(pod, before) || isSelected(pod, after));
  }

  private boolean isSelected(PodSubject pod, ConfigCatalog catalog) {
    return catalog.precedence(pod).reaching().stream()
        .anyMatch(reaching -> binding.equals(Optional.of(reaching.key())));
  }
}

package io.berth.webhook.binding;

import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.binding.BindingField;
import io.berth.webhook.template.TemplateKind;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.CustomResource;
import java.util.function.BiPredicate;

/** A catalog before and after one config or binding is created or changed. */
public final class CatalogChange {
  private final ConfigCatalog before;
  private final ConfigCatalog after;
  private final BiPredicate<Choice, PodSubject> isOfObject;

  private CatalogChange(
      ConfigCatalog before, ConfigCatalog after, BiPredicate<Choice, PodSubject> isOfObject) {
    this.before = before;
    this.after = after;
    this.isOfObject = isOfObject;
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
        (choice, pod) ->
            choice.field() == field && choice.configNames(pod).contains(config.name()));
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
        (choice, pod) -> choice.source() instanceof Source.OfBinding of && of.key().equals(key));
  }

  /** Returns the catalog before the change. */
  public ConfigCatalog before() {
    return before;
  }

  /** Returns the catalog after the change. */
  public ConfigCatalog after() {
    return after;
  }

  /** Returns whether the object decides something about a pod, before or after the change. */
  public boolean concerns(PodSubject pod) {
    return concerns(pod, before) || concerns(pod, after);
  }

  private boolean concerns(PodSubject pod, ConfigCatalog catalog) {
    return catalog.resolveApplicable(pod).choices().stream()
        .anyMatch(choice -> isOfObject.test(choice, pod));
  }
}

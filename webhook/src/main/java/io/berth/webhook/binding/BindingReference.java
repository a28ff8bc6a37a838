package io.berth.webhook.binding;

import io.berth.crds.binding.BindingField;
import io.berth.crds.binding.ConfigReference;

/**
 * One place where a binding names a config.
 *
 * @param index the place in the field's list, from 0
 */
public record BindingReference(
    BindingKey binding, BindingField field, int index, ConfigReference reference) {

  /** As a field path of the binding, such as {@code spec.nodeConfigs[0]}. */
  public String place() {
    return "spec."
        + (field == BindingField.NODE_CONFIGS ? "nodeConfigs" : "podConfigs")
        + "["
        + index
        + "]";
  }
}

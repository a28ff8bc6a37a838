package io.berth.webhook.binding;

import io.berth.crds.binding.BindingField;
import io.berth.crds.binding.ConfigReference;

/**
 * A reference from a binding to a config.
 *
 * @param index the index in the field's list, from 0
 */
public record BindingReference(
    BindingKey binding, BindingField field, int index, ConfigReference reference) {

  /** Returns the field path in the binding, such as {@code spec.nodeConfigs[0]}. */
  public String place() {
    return "spec."
        + (field == BindingField.NODE_CONFIGS ? "nodeConfigs" : "podConfigs")
        + "["
        + index
        + "]";
  }
}

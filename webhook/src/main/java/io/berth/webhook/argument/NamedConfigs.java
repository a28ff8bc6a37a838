package io.berth.webhook.argument;

import java.util.List;

/**
 * The configs that an annotation names.
 *
 * @param names the names in the order of the annotation; at least one, without duplicates
 */
public record NamedConfigs(List<String> names) implements ConfigNames {

  public NamedConfigs {
    names = List.copyOf(names);
  }
}

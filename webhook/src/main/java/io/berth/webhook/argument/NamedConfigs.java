package io.berth.webhook.argument;

import java.util.List;

/**
 * The configs that an annotation names.
 *
 * @param names at least one, each once, in the order of the annotation
 */
public record NamedConfigs(List<String> names) implements ConfigNames {

  public NamedConfigs {
    names = List.copyOf(names);
  }
}

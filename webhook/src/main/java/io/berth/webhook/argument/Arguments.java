package io.berth.webhook.argument;

import java.util.Map;
import java.util.Optional;

/**
 * The arguments for one config, checked against its parameters, with defaults filled in. Instances
 * are created only by {@link Parameters}, so a value always has its parameter's type.
 */
public final class Arguments implements CheckedArguments {

  private final Map<String, Object> values;

  Arguments(Map<String, Object> values) {
    this.values = Map.copyOf(values);
  }

  /**
   * Returns the value of a parameter as a String, Long, Boolean, or List of String; empty if it is
   * optional and absent.
   */
  public Optional<Object> value(String parameter) {
    return Optional.ofNullable(values.get(parameter));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Arguments arguments && values.equals(arguments.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return values.toString();
  }
}

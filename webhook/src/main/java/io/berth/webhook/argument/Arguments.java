package io.berth.webhook.argument;

import java.util.Map;
import java.util.Optional;

/**
 * The arguments for one config, checked against its parameters, with defaults filled in. Only
 * {@link Parameters} makes them, so a value is always of its parameter's type.
 */
public final class Arguments implements CheckedArguments {

  private final Map<String, Object> values;

  Arguments(Map<String, Object> values) {
    this.values = Map.copyOf(values);
  }

  /**
   * The value of a parameter: String, Long, Boolean or List of String; empty if it is optional and
   * was not given.
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

package io.berth.webhook.argument;

import java.util.List;

/** The parameters of one config, in the order of their declaration. */
public final class Parameters {

  private final List<Parameter> list;

  Parameters(List<Parameter> list) {
    this.list = List.copyOf(list);
  }

  /** The parameters in the order of their declaration. */
  public List<Parameter> list() {
    return list;
  }

  /** Checks arguments, and fills in defaults. */
  public CheckedArguments check(GivenArguments given) {
    if (list.isEmpty()) {
      return new Arguments(java.util.Map.of());
    }
    throw new UnsupportedOperationException("not yet");
  }
}

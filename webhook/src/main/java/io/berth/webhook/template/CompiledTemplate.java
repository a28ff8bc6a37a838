package io.berth.webhook.template;

import io.berth.webhook.argument.Arguments;
import io.berth.webhook.argument.Parameters;

/**
 * A config's templates, parsed and checked. Immutable; rendering is a pure function of its
 * arguments.
 */
public final class CompiledTemplate implements Compilation {

  private final Parameters parameters;

  CompiledTemplate(Parameters parameters) {
    this.parameters = parameters;
  }

  /** The parameters: those that the config declares, or else the names that its templates use. */
  public Parameters parameters() {
    return parameters;
  }

  /**
   * Renders the templates for one pod.
   *
   * @param arguments made by this template's {@link #parameters()}
   */
  public Rendering render(Arguments arguments, PodFacts pod) {
    if (parameters.list().isEmpty()) {
      return new RenderingRefused(java.util.List.of());
    }
    throw new UnsupportedOperationException("not yet");
  }
}

package io.berth.webhook.template;

import com.fasterxml.jackson.databind.JsonNode;

/** Compiles the spec of a NodeSchedulerConfig or PodSchedulerConfig. Stateless and thread-safe. */
public final class TemplateCompiler {

  /**
   * Compiles a spec, and refuses all that can be known to be wrong before a pod comes.
   *
   * @param spec the spec as JSON: {@code parameters} and the templated fields of the kind; other
   *     fields are not looked at
   */
  public Compilation compile(TemplateKind kind, JsonNode spec) {
    if (spec.isMissingNode()) {
      return new InvalidTemplate(java.util.List.of());
    }
    throw new UnsupportedOperationException("not yet");
  }
}

package io.berth.engine.whatif;

/** A question about what a change of policies or configs would mean for the pods that exist. */
public sealed interface ChangeQuestion permits PolicyQuestion, RenderingQuestion {
  /** Returns the namespace whose pods are tried; empty for all namespaces. */
  String namespace();
}

package io.berth.webhook.binding;

/** The source of the decision on a field of a pod. */
public sealed interface Source {

  /** A binding at this generation. */
  record OfBinding(BindingKey key, long generation) implements Source {}

  /** The annotations of the pod itself. */
  record OfPod() implements Source {}
}

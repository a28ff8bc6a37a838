package io.berth.webhook.binding;

/** A SchedulerConfigBinding's namespace and name. */
public record BindingKey(String namespace, String name) {

  /** Returns {@code namespace/name}. */
  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}

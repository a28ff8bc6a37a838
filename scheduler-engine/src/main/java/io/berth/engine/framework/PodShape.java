package io.berth.engine.framework;

import io.berth.engine.model.PodSpec;

/** All that any plugin reads from a pod. Pods of equal shape get equal answers. */
public final class PodShape {
  private final String namespace;
  private final PodSpec spec;

  PodShape(String namespace, PodSpec spec) {
    this.namespace = namespace;
    this.spec = spec;
  }

  public String namespace() {
    return namespace;
  }

  public PodSpec spec() {
    return spec;
  }
}

package io.berth.webhook.template;

import java.util.List;

/** The two kinds of config that contain templates, and the templated fields of their specs. */
public enum TemplateKind {
  NODE("NodeSchedulerConfig"),
  POD("PodSchedulerConfig");

  private final String kind;

  TemplateKind(String kind) {
    this.kind = kind;
  }

  /** Returns the Kubernetes kind. */
  public String kind() {
    return kind;
  }

  /** Returns the templated fields of the spec. */
  public List<String> fields() {
    return switch (this) {
      case NODE -> List.of("nodeAffinity", "tolerations");
      case POD -> List.of("podAffinity", "podAntiAffinity", "topologySpreadConstraints");
    };
  }
}

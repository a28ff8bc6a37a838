package io.berth.webhook.template;

import java.util.List;

/** The two kinds of config that hold templates, and the fields of their spec that are templates. */
public enum TemplateKind {
  NODE("NodeSchedulerConfig"),
  POD("PodSchedulerConfig");

  private final String kind;

  TemplateKind(String kind) {
    this.kind = kind;
  }

  /** The Kubernetes kind. */
  public String kind() {
    return kind;
  }

  /** The templated fields of the spec. */
  public List<String> fields() {
    return switch (this) {
      case NODE -> List.of("nodeAffinity", "tolerations");
      case POD -> List.of("podAffinity", "podAntiAffinity", "topologySpreadConstraints");
    };
  }
}

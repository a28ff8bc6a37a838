package io.berth.webhook.template;

import java.util.List;

/** The two kinds of config that hold templates, and the fields of their spec that are templates. */
public enum TemplateKind {
  NODE("NodeSchedulerConfig", List.of("nodeAffinity", "tolerations")),
  POD("PodSchedulerConfig", List.of("podAffinity", "podAntiAffinity", "topologySpreadConstraints"));

  private final String kind;
  private final List<String> fields;

  TemplateKind(String kind, List<String> fields) {
    this.kind = kind;
    this.fields = fields;
  }

  /** The Kubernetes kind. */
  public String kind() {
    return kind;
  }

  /** The templated fields of the spec. */
  public List<String> fields() {
    return fields;
  }
}

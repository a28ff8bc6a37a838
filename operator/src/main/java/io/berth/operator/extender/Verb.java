package io.berth.operator.extender;

import io.berth.engine.extender.Extender;
import java.util.Optional;

/** The calls of the extender protocol. */
enum Verb {
  FILTER("filter", "filter nodes"),
  PRIORITIZE("prioritize", "score nodes"),
  PREEMPT("preempt", "choose among pods to evict"),
  BIND("bind", "bind the pod");

  private final String label;
  private final String words;

  Verb(String label, String words) {
    this.label = label;
    this.words = words;
  }

  /** Returns the value of the metrics label. */
  String label() {
    return label;
  }

  /** Returns the action in words, to follow "to". */
  String words() {
    return words;
  }

  /** Returns the verb's path in the extender's URL; empty if the extender does not support it. */
  Optional<String> of(Extender extender) {
    return switch (this) {
      case FILTER -> extender.verbs().filter();
      case PRIORITIZE -> extender.verbs().prioritize();
      case PREEMPT -> extender.verbs().preempt();
      case BIND -> extender.verbs().bind();
    };
  }
}

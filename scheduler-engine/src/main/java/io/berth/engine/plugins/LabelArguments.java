package io.berth.engine.plugins;

import io.berth.engine.framework.Arguments;
import io.berth.rules.LabelSyntax;

/** Validation of labels in arguments. */
final class LabelArguments {
  private LabelArguments() {}

  /** Reports a field whose value is not a valid label key. */
  static void checkName(Arguments arguments, String field, String name) {
    LabelSyntax.ofLabelName(name).stream()
        .findFirst()
        .ifPresent(
            wrong ->
                arguments.problem(
                    field, "\"" + name + "\" cannot be the key of a label: " + wrong));
  }
}

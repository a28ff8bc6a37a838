package io.berth.engine.plugins;

import io.berth.engine.framework.Arguments;
import io.berth.rules.LabelSyntax;

/** Labels in arguments. */
final class LabelArguments {
  private LabelArguments() {}

  /** Notes a field whose value cannot be the key of a label. */
  static void checkName(Arguments arguments, String field, String name) {
    LabelSyntax.ofLabelName(name).stream()
        .findFirst()
        .ifPresent(
            wrong ->
                arguments.problem(
                    field, "\"" + name + "\" cannot be the key of a label: " + wrong));
  }
}

package io.berth.engine.devices;

import java.util.HashMap;
import java.util.Map;

/** The compiled selectors of classes and claims, and their remembered results for devices. */
final class DeviceSelectors {
  /** The number of expressions above which all are forgotten: users write them. */
  private static final int MOST = 2_000;

  private static final byte TRUE = 1;
  private static final byte FALSE = 2;

  private record Numbered(int number, SelectorCompiler.Selector selector) {}

  /** The compiler, which is created for the first expression: that takes a while. */
  private static final class Compiler {
    static final SelectorCompiler SHARED = new SelectorCompiler();
  }

  private final Map<String, Numbered> byExpression = new HashMap<>();
  private int generation;

  /** Returns whether a selector selects a device; an error if that cannot be said. */
  SelectorCompiler.Result evaluate(String expression, KnownDevice device) {
    Numbered numbered = byExpression.get(expression);
    if (numbered == null) {
      numbered = add(expression);
    }
    byte known = device.answer(numbered.number(), generation);
    if (known != 0) {
      return new SelectorCompiler.Truth(known == TRUE);
    }
    SelectorCompiler.Result result =
        numbered.selector().evaluate(device.id().driver(), device.device());
    if (result instanceof SelectorCompiler.Truth(boolean value)) {
      device.remember(numbered.number(), generation, value ? TRUE : FALSE);
    }
    return result;
  }

  private Numbered add(String expression) {
    if (byExpression.size() == MOST) {
      byExpression.clear();
      generation++;
    }
    Numbered added = new Numbered(byExpression.size(), Compiler.SHARED.compile(expression));
    byExpression.put(expression, added);
    return added;
  }

  /** Returns the number of compiled expressions. */
  int size() {
    return byExpression.size();
  }
}

package io.berth.engine.devices;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The compiled selectors of classes and claims, and their remembered results for devices. */
final class DeviceSelectors {
  /** The number of expressions above which all are forgotten: users write them. */
  private static final int MOST = 2_000;

  private static final int TRUE = 1;
  private static final int FALSE = 2;
  private static final int FIRST_FAILURE = 3;

  /** The number of different failures of one selector that are remembered; users write them. */
  private static final int MOST_FAILURES = 8;

  /** A compiled selector. Its failures are remembered too: an exception costs most of all. */
  private static final class Numbered {
    final int number;
    final SelectorCompiler.Selector selector;
    private final List<SelectorCompiler.Failed> failures = new ArrayList<>();

    Numbered(int number, SelectorCompiler.Selector selector) {
      this.number = number;
      this.selector = selector;
    }

    SelectorCompiler.Result resultOf(int answer) {
      return answer < FIRST_FAILURE
          ? new SelectorCompiler.Truth(answer == TRUE)
          : failures.get(answer - FIRST_FAILURE);
    }

    /** Returns the answer that stands for a result; 0 if there are too many failures. */
    int answerOf(SelectorCompiler.Result result) {
      return switch (result) {
        case SelectorCompiler.Truth(boolean value) -> value ? TRUE : FALSE;
        case SelectorCompiler.Failed failed -> {
          int known = failures.indexOf(failed);
          if (known < 0 && failures.size() < MOST_FAILURES) {
            known = failures.size();
            failures.add(failed);
          }
          yield known < 0 ? 0 : FIRST_FAILURE + known;
        }
      };
    }
  }

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
    int known = device.answer(numbered.number, generation);
    if (known != 0) {
      return numbered.resultOf(known);
    }
    SelectorCompiler.Result result =
        numbered.selector.evaluate(device.id().driver(), device.device());
    device.remember(numbered.number, generation, numbered.answerOf(result));
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

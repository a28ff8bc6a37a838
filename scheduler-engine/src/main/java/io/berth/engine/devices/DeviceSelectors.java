package io.berth.engine.devices;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The compiled selectors of classes and claims, and their remembered results for devices. */
final class DeviceSelectors {
  /**
   * The number of expressions that are kept compiled: users write them. Beyond, the one that was
   * not used for the longest time is forgotten.
   */
  private static final int MOST = 2_000;

  /**
   * The number of expressions that get a number before the numbers are given again, and all
   * remembered results are forgotten.
   */
  private static final int MOST_NUMBERS = 2 * MOST;

  /** The steps that the evaluation of one part of an expression takes as long as. */
  private static final int STEPS_PER_PART = 5;

  /** The same for the compilation of one character. */
  private static final int STEPS_PER_CHARACTER = 100;

  private static final int TRUE = 1;
  private static final int FALSE = 2;
  private static final int FIRST_FAILURE = 3;

  /** The number of different failures of one selector that are remembered; users write them. */
  private static final int MOST_FAILURES = 8;

  /** A compiled selector. Its failures are remembered too: an exception costs most of all. */
  private static final class Numbered {
    final SelectorCompiler.Selector selector;
    int number;
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

  /** The least recently used is the first. */
  private final Map<String, Numbered> byExpression = new LinkedHashMap<>(16, 0.75f, true);

  private int generation;
  private int nextNumber;
  private long cost;

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
    SelectorCompiler.Evaluated evaluated =
        numbered.selector.evaluate(device.id().driver(), device.device());
    cost += (long) STEPS_PER_PART * evaluated.cost();
    SelectorCompiler.Result result = evaluated.result();
    device.remember(numbered.number, generation, numbered.answerOf(result));
    return result;
  }

  /**
   * Returns whether selectors may select a device. One that fails, perhaps because it reads what is
   * not known of the device, may.
   */
  boolean maySelect(List<String> expressions, KnownDevice device) {
    for (String expression : expressions) {
      if (evaluate(expression, device) instanceof SelectorCompiler.Truth(boolean holds) && !holds) {
        return false;
      }
    }
    return true;
  }

  private Numbered add(String expression) {
    if (nextNumber == MOST_NUMBERS) {
      generation++;
      nextNumber = 0;
      for (Numbered kept : byExpression.values()) {
        kept.number = nextNumber++;
      }
    }
    if (byExpression.size() == MOST) {
      var expressions = byExpression.keySet().iterator();
      expressions.next();
      expressions.remove();
    }
    Numbered added = new Numbered(nextNumber++, Compiler.SHARED.compile(expression));
    cost += (long) STEPS_PER_CHARACTER * expression.length();
    byExpression.put(expression, added);
    return added;
  }

  /** Returns the number of compiled expressions. */
  int size() {
    return byExpression.size();
  }

  /**
   * Returns what compiling and evaluating has cost so far, in steps of an attempt. What is
   * remembered costs nothing.
   */
  long cost() {
    return cost;
  }
}

package io.berth.webhook.template;

import io.berth.crds.ParameterType;
import io.berth.webhook.affinity.Undetermined;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Quoted;
import java.util.List;
import java.util.Locale;

/**
 * Evaluates expressions that {@link Typing} has accepted. The types of values are those of {@link
 * Scope}. An expression that depends on an undetermined value is undetermined, unless its result is
 * the same for every value.
 */
final class Evaluator {

  private static final Undetermined STRING = new Undetermined(ParameterType.STRING);
  private static final Undetermined INTEGER = new Undetermined(ParameterType.INTEGER);
  private static final Undetermined BOOLEAN = new Undetermined(ParameterType.BOOLEAN);

  private final Scope scope;
  private final Budget budget;

  /** The number of enclosing conditions that are undetermined. */
  private int maybe;

  Evaluator(Scope scope, Budget budget) {
    this.scope = scope;
    this.budget = budget;
  }

  /**
   * Returns the value. Throws {@link Refused} if it is missing, unless the evaluation depends on an
   * undetermined condition.
   */
  Object evaluate(Expression expression) {
    Object value = evaluateOrMissing(expression);
    if (value != Missing.VALUE) {
      return value;
    }
    if (maybe > 0) {
      return new Undetermined(typeOfReference(expression));
    }
    throw new Refused(ErrorCode.RENDER_MISSING_VALUE, missing(expression));
  }

  /**
   * Marks the following evaluations, until {@link #determined}, as dependent on an undetermined
   * condition. A missing value is not an error there.
   */
  void undetermined() {
    maybe++;
  }

  void determined() {
    maybe--;
  }

  private Object evaluateOrMissing(Expression expression) {
    budget.step();
    return switch (expression) {
      case Expression.Text text -> text.value();
      case Expression.Whole whole -> whole.value();
      case Expression.Truth truth -> truth.value();
      case Expression.Name name -> scope.argument(name.name());
      case Expression.PodField field -> scope.pod(field.field());
      case Expression.PodEntry entry ->
          evaluate(entry.key()) instanceof String key ? scope.podEntry(entry.label(), key) : STRING;
      case Expression.Default fallback -> fallback(fallback);
      case Expression.Exists exists -> exists(evaluateOrMissing(exists.value()));
      case Expression.Not not -> evaluate(not.value()) instanceof Boolean truth ? !truth : BOOLEAN;
      case Expression.Negate negate ->
          evaluate(negate.value()) instanceof Long value ? negated(value) : INTEGER;
      case Expression.Binary binary -> binary(binary);
      case Expression.Call call -> call(call);
      case Expression.Join join -> join(join);
    };
  }

  private Object fallback(Expression.Default expression) {
    Object value = evaluateOrMissing(expression.value());
    if (value == Missing.VALUE) {
      if (expression.fallback().isPresent()) {
        return evaluate(expression.fallback().get());
      }
      boolean list = typeOfReference(expression.value()) == ParameterType.STRING_LIST;
      return list ? List.of() : "";
    }
    return value;
  }

  private ParameterType typeOfReference(Expression expression) {
    return expression instanceof Expression.Name name
        ? scope.typeOf(name.name())
        : ParameterType.STRING;
  }

  private static Object exists(Object value) {
    return value instanceof Undetermined ? BOOLEAN : value != Missing.VALUE;
  }

  private Object binary(Expression.Binary binary) {
    return switch (binary.operator()) {
      case AND -> logic(binary, false);
      case OR -> logic(binary, true);
      case EQUAL -> equal(evaluate(binary.left()), evaluate(binary.right()), true);
      case NOT_EQUAL -> equal(evaluate(binary.left()), evaluate(binary.right()), false);
      case PLUS -> plus(evaluate(binary.left()), evaluate(binary.right()));
      default -> numeric(binary.operator(), evaluate(binary.left()), evaluate(binary.right()));
    };
  }

  /**
   * Evaluates a logical operator. The right side is skipped if the left side has the deciding
   * value: false for and, true for or.
   */
  private Object logic(Expression.Binary binary, boolean deciding) {
    Object left = evaluate(binary.left());
    if (left instanceof Boolean truth) {
      return truth == deciding ? truth : evaluate(binary.right());
    }
    undetermined();
    Object right = evaluate(binary.right());
    determined();
    return right instanceof Boolean truth && truth == deciding ? truth : BOOLEAN;
  }

  private Object equal(Object left, Object right, boolean wanted) {
    if (left instanceof Undetermined || right instanceof Undetermined) {
      return BOOLEAN;
    }
    if (left instanceof String text) {
      budget.look(text.length());
    }
    return left.equals(right) == wanted;
  }

  private Object plus(Object left, Object right) {
    if (left instanceof Undetermined one) {
      return one.type() == ParameterType.INTEGER && isInteger(right) ? INTEGER : STRING;
    }
    if (right instanceof Undetermined other) {
      return other.type() == ParameterType.INTEGER && isInteger(left) ? INTEGER : STRING;
    }
    if (left instanceof Long one && right instanceof Long other) {
      return exact(Expression.Operator.PLUS, one, other);
    }
    String first = left.toString();
    String second = right.toString();
    budget.write(first.length() + second.length());
    return first + second;
  }

  private static boolean isInteger(Object value) {
    return value instanceof Long || value.equals(INTEGER);
  }

  private static Object numeric(Expression.Operator operator, Object left, Object right) {
    boolean comparison =
        operator != Expression.Operator.MINUS && operator != Expression.Operator.TIMES;
    if (!(left instanceof Long one) || !(right instanceof Long other)) {
      return comparison ? BOOLEAN : INTEGER;
    }
    int order = one.compareTo(other);
    return switch (operator) {
      case LESS -> order < 0;
      case LESS_OR_EQUAL -> order <= 0;
      case GREATER -> order > 0;
      case GREATER_OR_EQUAL -> order >= 0;
      default -> exact(operator, one, other);
    };
  }

  private static Object exact(Expression.Operator operator, long left, long right) {
    try {
      return switch (operator) {
        case PLUS -> Math.addExact(left, right);
        case MINUS -> Math.subtractExact(left, right);
        default -> Math.multiplyExact(left, right);
      };
    } catch (ArithmeticException e) {
      throw new Refused(
          ErrorCode.RENDER_OVERFLOW,
          left + " " + operator.symbol() + " " + right + " does not fit into 64 bits");
    }
  }

  private static Object negated(long value) {
    return exact(Expression.Operator.MINUS, 0, value);
  }

  private Object call(Expression.Call call) {
    return switch (call.function()) {
      case THEN -> then(call);
      case HAS_CONTENT -> hasContent(evaluateOrMissing(call.target()));
      default -> {
        Object target = evaluate(call.target());
        Object argument = call.arguments().isEmpty() ? "" : evaluate(call.arguments().getFirst());
        boolean known = !(target instanceof Undetermined) && !(argument instanceof Undetermined);
        yield known
            ? apply(call.function(), target, argument)
            : undeterminedResult(call.function());
      }
    };
  }

  private Object then(Expression.Call call) {
    Object condition = evaluate(call.target());
    if (condition instanceof Boolean truth) {
      return evaluate(truth ? call.arguments().getFirst() : call.arguments().getLast());
    }
    undetermined();
    Object first = evaluate(call.arguments().getFirst());
    Object second = evaluate(call.arguments().getLast());
    determined();
    return first.equals(second) ? first : new Undetermined(typeOf(first));
  }

  private static ParameterType typeOf(Object value) {
    return switch (value) {
      case Undetermined undetermined -> undetermined.type();
      case Long integer -> ParameterType.INTEGER;
      case Boolean truth -> ParameterType.BOOLEAN;
      case List<?> list -> ParameterType.STRING_LIST;
      default -> ParameterType.STRING;
    };
  }

  private static Object hasContent(Object value) {
    return switch (value) {
      case Undetermined undetermined -> BOOLEAN;
      case String text -> !text.isEmpty();
      case List<?> list -> !list.isEmpty();
      default -> false;
    };
  }

  private static Object undeterminedResult(BuiltInFunction function) {
    return switch (function) {
      case LENGTH, SIZE -> INTEGER;
      case STARTS_WITH, ENDS_WITH, CONTAINS, SEQ_CONTAINS -> BOOLEAN;
      default -> STRING;
    };
  }

  private Object apply(BuiltInFunction function, Object target, Object argument) {
    if (target instanceof List<?> list) {
      for (Object item : list) {
        budget.step();
        budget.look(item.toString().length());
      }
      return function == BuiltInFunction.SIZE
          ? (Object) (long) list.size()
          : list.contains(argument);
    }
    String text = target.toString();
    String sought = argument.toString();
    budget.look(text.length() * Math.max(1L, sought.length()));
    return switch (function) {
      case LOWER_CASE -> written(text.toLowerCase(Locale.ROOT));
      case UPPER_CASE -> written(text.toUpperCase(Locale.ROOT));
      case TRIM -> written(text.trim());
      case LENGTH -> (long) text.length();
      case STARTS_WITH -> text.startsWith(sought);
      case ENDS_WITH -> text.endsWith(sought);
      case CONTAINS -> text.contains(sought);
      default -> written(text);
    };
  }

  private String written(String text) {
    budget.write(text.length());
    return text;
  }

  private Object join(Expression.Join join) {
    StringBuilder joined = new StringBuilder();
    boolean determined = true;
    for (Expression part : join.parts()) {
      Object value = evaluate(part);
      if (value instanceof Undetermined) {
        determined = false;
      } else {
        String text = value.toString();
        budget.write(text.length());
        joined.append(text);
      }
    }
    return determined ? joined.toString() : STRING;
  }

  private static String missing(Expression expression) {
    return switch (expression) {
      case Expression.Name name ->
          "there is no argument \""
              + name.name()
              + "\"; supply it, or add a fallback: ${"
              + name.name()
              + "!...}";
      case Expression.PodField field ->
          "the pod has no "
              + (field.field() == Expression.PodField.Field.NAMESPACE ? "namespace" : "owner")
              + "; add a fallback: !\"...\" after the name";
      case Expression.PodEntry entry -> {
        String what = entry.label() ? "label" : "annotation";
        String key =
            entry.key() instanceof Expression.Text text ? " " + Quoted.value(text.value()) : "";
        yield "the pod has no "
            + what
            + key
            + "; add it to the pod, or add a fallback: !\"...\" after the name";
      }
      default -> "there is no value";
    };
  }
}

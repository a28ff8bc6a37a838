package io.berth.webhook.template;

import io.berth.crds.ParameterType;
import io.berth.crds.schema.NearestName;
import io.berth.webhook.argument.DeclaredParameter;
import io.berth.webhook.argument.Parameters;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Quoted;
import java.util.List;

/**
 * Infers the type of an expression and rejects incompatible operands. An expression that passes
 * cannot fail because of its types later.
 */
final class Typing {

  private final Parameters parameters;

  Typing(Parameters parameters) {
    this.parameters = parameters;
  }

  ParameterType of(Expression expression) {
    return switch (expression) {
      case Expression.Text text -> ParameterType.STRING;
      case Expression.Whole whole -> ParameterType.INTEGER;
      case Expression.Truth truth -> ParameterType.BOOLEAN;
      case Expression.Name name -> ofName(name.name());
      case Expression.PodField field -> ParameterType.STRING;
      case Expression.PodEntry entry -> {
        want(entry.key(), ParameterType.STRING, "the name of a label or annotation");
        yield ParameterType.STRING;
      }
      case Expression.Default fallback -> ofDefault(fallback);
      case Expression.Exists exists -> {
        of(exists.value());
        yield ParameterType.BOOLEAN;
      }
      case Expression.Not not -> {
        want(not.value(), ParameterType.BOOLEAN, "the operand of !");
        yield ParameterType.BOOLEAN;
      }
      case Expression.Negate negate -> {
        want(negate.value(), ParameterType.INTEGER, "the operand of -");
        yield ParameterType.INTEGER;
      }
      case Expression.Binary binary -> ofBinary(binary);
      case Expression.Call call -> ofCall(call);
      case Expression.Join join -> {
        for (Expression part : join.parts()) {
          if (of(part) == ParameterType.STRING_LIST) {
            throw new Refused(
                ErrorCode.TEMPLATE_TYPE,
                "a stringList cannot be part of a string; use it alone, as an item of a list");
          }
        }
        yield ParameterType.STRING;
      }
    };
  }

  private ParameterType ofName(String name) {
    List<String> names = parameters.list().stream().map(DeclaredParameter::name).toList();
    return parameters
        .named(name)
        .map(DeclaredParameter::type)
        .orElseThrow(
            () ->
                new Refused(
                    ErrorCode.TEMPLATE_UNKNOWN_NAME,
                    Quoted.name(name)
                        + " is not declared in spec.parameters; declared: "
                        + String.join(", ", names)
                        + NearestName.question(name, names)));
  }

  private ParameterType ofDefault(Expression.Default expression) {
    ParameterType type = of(expression.value());
    if (expression.fallback().isPresent()) {
      want(expression.fallback().get(), type, "the fallback after !");
    } else if (type != ParameterType.STRING && type != ParameterType.STRING_LIST) {
      throw new Refused(
          ErrorCode.TEMPLATE_TYPE,
          "! without a value means an empty string; write "
              + (type == ParameterType.INTEGER ? "!0" : "!false"));
    }
    return type;
  }

  private ParameterType ofBinary(Expression.Binary binary) {
    String symbol = binary.operator().symbol();
    return switch (binary.operator()) {
      case AND, OR -> {
        want(binary.left(), ParameterType.BOOLEAN, "each side of " + symbol);
        want(binary.right(), ParameterType.BOOLEAN, "each side of " + symbol);
        yield ParameterType.BOOLEAN;
      }
      case EQUAL, NOT_EQUAL -> {
        ParameterType left = of(binary.left());
        if (left == ParameterType.STRING_LIST) {
          throw new Refused(
              ErrorCode.TEMPLATE_TYPE,
              "lists cannot be compared; write List?seq_contains(\"x\") or List?size");
        }
        want(binary.right(), left, "the right side of " + symbol);
        yield ParameterType.BOOLEAN;
      }
      case LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL -> {
        want(binary.left(), ParameterType.INTEGER, "each side of " + symbol);
        want(binary.right(), ParameterType.INTEGER, "each side of " + symbol);
        yield ParameterType.BOOLEAN;
      }
      case MINUS, TIMES -> {
        want(binary.left(), ParameterType.INTEGER, "each side of " + symbol);
        want(binary.right(), ParameterType.INTEGER, "each side of " + symbol);
        yield ParameterType.INTEGER;
      }
      case PLUS -> {
        ParameterType left = scalar(binary.left());
        ParameterType right = scalar(binary.right());
        yield left == ParameterType.INTEGER && right == ParameterType.INTEGER
            ? ParameterType.INTEGER
            : ParameterType.STRING;
      }
    };
  }

  private ParameterType scalar(Expression expression) {
    ParameterType type = of(expression);
    if (type == ParameterType.STRING_LIST) {
      throw new Refused(
          ErrorCode.TEMPLATE_TYPE,
          "lists cannot be added; write each as an item of the list in the spec");
    }
    return type;
  }

  private ParameterType ofCall(Expression.Call call) {
    String key = "?" + call.function().key();
    Expression target = call.target();
    return switch (call.function()) {
      case LOWER_CASE, UPPER_CASE, TRIM -> {
        want(target, ParameterType.STRING, "the operand of " + key);
        yield ParameterType.STRING;
      }
      case LENGTH -> {
        want(target, ParameterType.STRING, "the operand of " + key);
        yield ParameterType.INTEGER;
      }
      case STARTS_WITH, ENDS_WITH, CONTAINS -> {
        want(target, ParameterType.STRING, "the operand of " + key);
        want(call.arguments().getFirst(), ParameterType.STRING, "the argument of " + key);
        yield ParameterType.BOOLEAN;
      }
      case HAS_CONTENT -> {
        ParameterType type = of(target);
        if (type != ParameterType.STRING && type != ParameterType.STRING_LIST) {
          throw new Refused(
              ErrorCode.TEMPLATE_TYPE,
              "?has_content is for strings and lists; use ?? to check whether there is a value");
        }
        yield ParameterType.BOOLEAN;
      }
      case SIZE -> {
        want(target, ParameterType.STRING_LIST, "the operand of " + key);
        yield ParameterType.INTEGER;
      }
      case SEQ_CONTAINS -> {
        want(target, ParameterType.STRING_LIST, "the operand of " + key);
        want(call.arguments().getFirst(), ParameterType.STRING, "the argument of " + key);
        yield ParameterType.BOOLEAN;
      }
      case C -> {
        ParameterType type = of(target);
        if (type != ParameterType.INTEGER && type != ParameterType.BOOLEAN) {
          throw new Refused(ErrorCode.TEMPLATE_TYPE, "?c is for integers and booleans; remove it");
        }
        yield ParameterType.STRING;
      }
      case STRING -> {
        if (of(target) == ParameterType.STRING_LIST) {
          throw new Refused(ErrorCode.TEMPLATE_TYPE, "?string is not for lists");
        }
        yield ParameterType.STRING;
      }
      case THEN -> {
        want(target, ParameterType.BOOLEAN, "the operand of ?then");
        ParameterType type = of(call.arguments().getFirst());
        want(call.arguments().getLast(), type, "the second value of ?then");
        yield type;
      }
    };
  }

  private void want(Expression expression, ParameterType wanted, String what) {
    ParameterType type = of(expression);
    if (type != wanted) {
      throw new Refused(
          ErrorCode.TEMPLATE_TYPE,
          what + " must be " + words(wanted) + ", and this is " + words(type) + hint(wanted, type));
    }
  }

  private String hint(ParameterType wanted, ParameterType type) {
    boolean undeclared =
        type == ParameterType.STRING
            && parameters.list().stream()
                .allMatch(parameter -> parameter.type() == ParameterType.STRING);
    return undeclared && wanted != ParameterType.STRING
        ? "; declare the parameter with type " + wanted.wireName()
        : "";
  }

  private static String words(ParameterType type) {
    return switch (type) {
      case STRING -> "a string";
      case INTEGER -> "an integer";
      case BOOLEAN -> "a boolean";
      case STRING_LIST -> "a stringList";
    };
  }
}

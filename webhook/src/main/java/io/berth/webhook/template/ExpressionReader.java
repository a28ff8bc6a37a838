package io.berth.webhook.template;

import freemarker.core.SyntaxNode;
import io.berth.crds.schema.NearestName;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Quoted;
import io.berth.webhook.template.Expression.Operator;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Converts FreeMarker's syntax tree to an {@link Expression}. This is the allow-list: any other
 * type of node is rejected, including those that a later version of FreeMarker adds.
 */
final class ExpressionReader {

  private static final Map<String, Operator> COMPARISONS =
      Map.ofEntries(
          Map.entry("=", Operator.EQUAL),
          Map.entry("==", Operator.EQUAL),
          Map.entry("!=", Operator.NOT_EQUAL),
          Map.entry("<", Operator.LESS),
          Map.entry("lt", Operator.LESS),
          Map.entry("<=", Operator.LESS_OR_EQUAL),
          Map.entry("lte", Operator.LESS_OR_EQUAL),
          Map.entry(">", Operator.GREATER),
          Map.entry("gt", Operator.GREATER),
          Map.entry(">=", Operator.GREATER_OR_EQUAL),
          Map.entry("gte", Operator.GREATER_OR_EQUAL));

  private static final List<String> POD_FIELDS =
      List.of(
          "pod.namespace",
          "pod.labels[\"...\"]",
          "pod.annotations[\"...\"]",
          "pod.owner.kind",
          "pod.owner.name");

  private ExpressionReader() {}

  /** Converts a complete leaf: text, interpolations, or both. */
  static Expression leaf(SyntaxNode node) {
    return switch (node.type()) {
      case "TextBlock" -> new Expression.Text((String) node.parts().getFirst());
      case "DollarVariable" -> expression(child(node, 0));
      case "MixedContent" -> {
        List<Expression> parts = new ArrayList<>();
        for (Object part : node.parts()) {
          parts.add(leaf((SyntaxNode) part));
        }
        yield new Expression.Join(List.copyOf(parts));
      }
      case "NumericalOutput" ->
          throw new Refused(
              ErrorCode.TEMPLATE_EXPRESSION, "#{...} is not supported; write ${...} instead");
      case SyntaxNode.TOO_DEEP -> throw tooDeep();
      default ->
          throw new Refused(
              ErrorCode.TEMPLATE_DIRECTIVE,
              node.symbol()
                  + " is a directive, and directives are not supported: write ${...}, and use $if"
                  + " for conditional parts");
    };
  }

  private static Expression expression(SyntaxNode node) {
    return switch (node.type()) {
      case "StringLiteral" -> text(node);
      case "NumberLiteral" -> whole((Number) node.parts().getFirst());
      case "BooleanLiteral" -> new Expression.Truth((Boolean) node.parts().getFirst());
      case "ParentheticalExpression" -> expression(child(node, 0));
      case "Identifier" -> name((String) node.parts().getFirst());
      case "Dot" -> dot(child(node, 0), (String) node.parts().get(1));
      case "DynamicKeyName" -> entry(child(node, 0), expression(child(node, 1)));
      case "DefaultToExpression" ->
          new Expression.Default(
              reference(child(node, 0), "!"),
              node.parts().size() > 1 ? Optional.of(expression(child(node, 1))) : Optional.empty());
      case "ExistsExpression" -> new Expression.Exists(reference(child(node, 0), "??"));
      case "NotExpression" -> new Expression.Not(expression(child(node, 0)));
      case "AndExpression" -> binary(Operator.AND, node);
      case "OrExpression" -> binary(Operator.OR, node);
      case "ComparisonExpression" -> comparison(node);
      case "AddConcatExpression" -> binary(Operator.PLUS, node);
      case "ArithmeticExpression" -> arithmetic(node);
      case "UnaryPlusMinusExpression" -> sign(node);
      case "BuiltIn" -> call(node, node.parts().subList(2, node.parts().size()));
      case "MethodCall" -> methodCall(node);
      case SyntaxNode.TOO_DEEP -> throw tooDeep();
      default -> throw refused(node);
    };
  }

  private static Expression text(SyntaxNode node) {
    if (node.parts().size() != 1 || !(node.parts().getFirst() instanceof String text)) {
      throw new Refused(
          ErrorCode.TEMPLATE_EXPRESSION,
          "a string in an expression cannot contain an interpolation; write \"a-\" + Name instead"
              + " of \"a-${Name}\"");
    }
    return new Expression.Text(text);
  }

  private static Expression whole(Number number) {
    BigDecimal exact = new BigDecimal(number.toString());
    if (exact.scale() > 0 || exact.toBigInteger().bitLength() >= Long.SIZE) {
      throw new Refused(
          ErrorCode.TEMPLATE_EXPRESSION,
          Quoted.value(number.toString()) + " is not an integer of at most 64 bits");
    }
    return new Expression.Whole(exact.longValueExact());
  }

  private static Expression name(String name) {
    if (name.equals("pod")) {
      throw podRefused("pod");
    }
    if (!name.matches("[A-Za-z_][A-Za-z0-9_]{0,62}")) {
      throw new Refused(
          ErrorCode.TEMPLATE_UNKNOWN_NAME,
          Quoted.name(name)
              + " is not a valid parameter name: names have up to 63 letters A-Z, digits, and"
              + " underscores");
    }
    return new Expression.Name(name);
  }

  private static Expression dot(SyntaxNode target, String key) {
    if (isPod(target) && key.equals("namespace")) {
      return new Expression.PodField(Expression.PodField.Field.NAMESPACE);
    }
    if (isPodPart(target, "owner") && key.equals("kind")) {
      return new Expression.PodField(Expression.PodField.Field.OWNER_KIND);
    }
    if (isPodPart(target, "owner") && key.equals("name")) {
      return new Expression.PodField(Expression.PodField.Field.OWNER_NAME);
    }
    return entry(target, new Expression.Text(key));
  }

  private static Expression entry(SyntaxNode target, Expression key) {
    if (isPodPart(target, "labels")) {
      return new Expression.PodEntry(true, key);
    }
    if (isPodPart(target, "annotations")) {
      return new Expression.PodEntry(false, key);
    }
    if (isPod(target) || isPodPart(target, "owner")) {
      if (key instanceof Expression.Text text) {
        throw podRefused("pod." + (isPod(target) ? "" : "owner.") + text.value());
      }
      throw podRefused("pod[...]");
    }
    throw new Refused(
        ErrorCode.TEMPLATE_EXPRESSION,
        "only pod has fields; an argument is a string, an integer, a boolean, or a list, which can"
            + " only be used as a whole");
  }

  private static Refused podRefused(String what) {
    String name =
        what.equals("pod.name")
            ? "pod.name is not available, because names are generated after templates are rendered"
            : Quoted.name(what) + " is not available";
    return new Refused(
        ErrorCode.TEMPLATE_UNKNOWN_NAME, name + "; available: " + String.join(", ", POD_FIELDS));
  }

  private static boolean isPod(SyntaxNode node) {
    return node.type().equals("Identifier") && node.parts().getFirst().equals("pod");
  }

  private static boolean isPodPart(SyntaxNode node, String part) {
    return node.type().equals("Dot") && node.parts().get(1).equals(part) && isPod(child(node, 0));
  }

  /**
   * Converts the operand of {@code !} or {@code ??}, which must be an argument or a property of the
   * pod.
   */
  private static Expression reference(SyntaxNode node, String operator) {
    Expression value = expression(node);
    return switch (value) {
      case Expression.Name name -> name;
      case Expression.PodField field -> field;
      case Expression.PodEntry entry -> entry;
      default ->
          throw new Refused(
              ErrorCode.TEMPLATE_EXPRESSION,
              operator
                  + " must follow a name, such as Name"
                  + operator
                  + " or pod.labels[\"x\"]"
                  + operator);
    };
  }

  private static Expression binary(Operator operator, SyntaxNode node) {
    return new Expression.Binary(operator, expression(child(node, 0)), expression(child(node, 1)));
  }

  private static Expression comparison(SyntaxNode node) {
    String symbol = node.symbol().replace("&lt;", "<").replace("&gt;", ">").replace("\\", "");
    Operator operator = COMPARISONS.get(symbol);
    if (operator == null) {
      throw refused(node);
    }
    return binary(operator, node);
  }

  private static Expression arithmetic(SyntaxNode node) {
    return switch (node.symbol()) {
      case "-" -> binary(Operator.MINUS, node);
      case "*" -> binary(Operator.TIMES, node);
      default ->
          throw new Refused(
              ErrorCode.TEMPLATE_EXPRESSION,
              node.symbol() + " is not supported; use +, -, and * with integers");
    };
  }

  private static Expression sign(SyntaxNode node) {
    Expression value = expression(child(node, 0));
    return node.symbol().startsWith("-") ? new Expression.Negate(value) : value;
  }

  private static Expression methodCall(SyntaxNode node) {
    SyntaxNode callee = child(node, 0);
    if (!callee.type().equals("BuiltIn") || callee.parts().size() != 2) {
      throw new Refused(
          ErrorCode.TEMPLATE_EXPRESSION,
          "only built-ins can be called, such as Name?starts_with(\"x\")");
    }
    return call(callee, node.parts().subList(1, node.parts().size()));
  }

  private static Expression call(SyntaxNode builtIn, List<Object> arguments) {
    String key = (String) builtIn.parts().get(1);
    BuiltInFunction function = BuiltInFunction.of(key).orElseThrow(() -> unknownBuiltIn(key));
    if (arguments.size() != function.arguments()) {
      throw new Refused(
          ErrorCode.TEMPLATE_BUILT_IN,
          "?"
              + key
              + " takes "
              + (function.arguments() == 0 ? "no" : function.arguments())
              + " arguments here, not "
              + arguments.size());
    }
    return new Expression.Call(
        function,
        expression(child(builtIn, 0)),
        arguments.stream().map(argument -> expression((SyntaxNode) argument)).toList());
  }

  static Refused unknownBuiltIn(String key) {
    return new Refused(
        ErrorCode.TEMPLATE_BUILT_IN,
        "?"
            + key
            + " is not supported; supported: ?"
            + String.join(", ?", BuiltInFunction.keys())
            + NearestName.question(key, BuiltInFunction.keys()));
  }

  private static Refused refused(SyntaxNode node) {
    String instead =
        switch (node.type()) {
          case "Range" -> "; use an argument of type stringList";
          case "ListLiteral" -> "; declare a parameter of type stringList with this default";
          case "HashLiteral" -> "; write the fields in the spec itself";
          case "LocalLambdaExpression" -> "; templates have no loops";
          case "BuiltinVariable" -> "; a template can only read its arguments and the pod";
          default -> "; see Expressions in docs/templates.md";
        };
    return new Refused(
        ErrorCode.TEMPLATE_EXPRESSION,
        Quoted.value(node.symbol()) + " is not supported in an expression" + instead);
  }

  private static Refused tooDeep() {
    return new Refused(
        ErrorCode.TEMPLATE_TOO_LARGE, "exceeds 64 levels; write a simpler expression");
  }

  private static SyntaxNode child(SyntaxNode node, int index) {
    return (SyntaxNode) node.parts().get(index);
  }
}

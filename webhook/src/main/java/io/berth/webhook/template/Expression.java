package io.berth.webhook.template;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An expression of a template that contains only supported constructs. There are no loops, no
 * user-defined calls, and no references to anything but arguments and the pod, so an evaluation
 * visits each node at most once.
 */
sealed interface Expression {

  /** Returns the direct subexpressions. */
  default List<Expression> children() {
    return List.of();
  }

  record Text(String value) implements Expression {}

  record Whole(long value) implements Expression {}

  record Truth(boolean value) implements Expression {}

  /** A reference to an argument. */
  record Name(String name) implements Expression {}

  /** A property of the pod with a fixed name. */
  record PodField(Field field) implements Expression {
    enum Field {
      NAMESPACE,
      OWNER_KIND,
      OWNER_NAME
    }
  }

  /** A label or an annotation of the pod, by key. */
  record PodEntry(boolean label, Expression key) implements Expression {
    @Override
    public List<Expression> children() {
      return List.of(key);
    }
  }

  /** {@code x!y}, and {@code x!} without a fallback. */
  record Default(Expression value, Optional<Expression> fallback) implements Expression {
    @Override
    public List<Expression> children() {
      return fallback.isPresent() ? List.of(value, fallback.get()) : List.of(value);
    }
  }

  /** {@code x??}. */
  record Exists(Expression value) implements Expression {
    @Override
    public List<Expression> children() {
      return List.of(value);
    }
  }

  record Not(Expression value) implements Expression {
    @Override
    public List<Expression> children() {
      return List.of(value);
    }
  }

  record Negate(Expression value) implements Expression {
    @Override
    public List<Expression> children() {
      return List.of(value);
    }
  }

  record Binary(Operator operator, Expression left, Expression right) implements Expression {
    @Override
    public List<Expression> children() {
      return List.of(left, right);
    }
  }

  /** A binary operator. */
  enum Operator {
    AND("&&"),
    OR("||"),
    EQUAL("=="),
    NOT_EQUAL("!="),
    LESS("<"),
    LESS_OR_EQUAL("<="),
    GREATER(">"),
    GREATER_OR_EQUAL(">="),
    PLUS("+"),
    MINUS("-"),
    TIMES("*");

    private final String symbol;

    Operator(String symbol) {
      this.symbol = symbol;
    }

    String symbol() {
      return symbol;
    }
  }

  record Call(BuiltInFunction function, Expression target, List<Expression> arguments)
      implements Expression {
    @Override
    public List<Expression> children() {
      if (arguments.isEmpty()) {
        return List.of(target);
      }
      List<Expression> children = new ArrayList<>(arguments.size() + 1);
      children.add(target);
      children.addAll(arguments);
      return children;
    }
  }

  /** A concatenation of text and interpolations; the result is always a string. */
  record Join(List<Expression> parts) implements Expression {
    @Override
    public List<Expression> children() {
      return parts;
    }
  }
}

package io.berth.webhook.template;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An expression of a template, after unsupported constructs were rejected. There is nothing in it
 * that repeats, calls, or names anything outside of arguments and pod, so an evaluation visits each
 * node at most once.
 */
sealed interface Expression {

  /** The expressions that this one is made of. */
  default List<Expression> children() {
    return List.of();
  }

  record Text(String value) implements Expression {}

  record Whole(long value) implements Expression {}

  record Truth(boolean value) implements Expression {}

  /** An argument. */
  record Name(String name) implements Expression {}

  /** A fact of the pod that has a name of its own. */
  record PodField(Field field) implements Expression {
    enum Field {
      NAMESPACE,
      OWNER_KIND,
      OWNER_NAME
    }
  }

  /** A label or an annotation of the pod. */
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

  /** Operators between two values. */
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

  /** Text and interpolations side by side: always a string. */
  record Join(List<Expression> parts) implements Expression {
    @Override
    public List<Expression> children() {
      return parts;
    }
  }
}

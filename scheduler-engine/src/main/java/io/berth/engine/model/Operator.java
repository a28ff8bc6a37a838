package io.berth.engine.model;

/** The operator of a {@link Requirement} on a label value. */
public enum Operator {
  IN,
  NOT_IN,
  EXISTS,
  DOES_NOT_EXIST,
  /** The label's value, parsed as a 64-bit integer, is greater than the single value given. */
  GREATER_THAN,
  /** The label's value, parsed as a 64-bit integer, is less than the single value given. */
  LESS_THAN
}

package io.berth.engine.model;

/** The comparison of a {@link Requirement} with the value of a label. */
public enum Operator {
  IN,
  NOT_IN,
  EXISTS,
  DOES_NOT_EXIST,
  /** The label's value, read as a 64-bit integer, is greater than the single value given. */
  GREATER_THAN,
  /** The label's value, read as a 64-bit integer, is less than the single value given. */
  LESS_THAN
}

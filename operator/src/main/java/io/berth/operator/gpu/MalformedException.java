package io.berth.operator.gpu;

/** Thrown within this package if an annotation cannot be parsed. */
final class MalformedException extends Exception {
  private static final long serialVersionUID = 1;

  MalformedException(String reason) {
    super(reason);
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}

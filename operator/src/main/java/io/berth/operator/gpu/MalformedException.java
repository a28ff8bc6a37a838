package io.berth.operator.gpu;

/** The reason why an annotation cannot be read; it never leaves this package. */
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

package io.berth.operator.convert;

/** Thrown for a file that is not a kube-scheduler configuration. The message is one line. */
public final class UnconvertibleFileException extends Exception {

  private static final long serialVersionUID = 1L;

  UnconvertibleFileException(String message) {
    super(message);
  }
}

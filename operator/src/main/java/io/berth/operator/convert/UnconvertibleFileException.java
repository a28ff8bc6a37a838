package io.berth.operator.convert;

/** A file that is no configuration of kube-scheduler. The message is one line. */
public final class UnconvertibleFileException extends Exception {

  private static final long serialVersionUID = 1L;

  UnconvertibleFileException(String message) {
    super(message);
  }
}

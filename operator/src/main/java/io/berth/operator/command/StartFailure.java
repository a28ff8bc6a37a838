package io.berth.operator.command;

/**
 * Berth cannot start, for a reason that its user can do something about. The message is one line:
 * what, where, what to do.
 */
public final class StartFailure extends Exception {

  private static final long serialVersionUID = 1L;

  public StartFailure(String message) {
    super(message);
  }

  StartFailure(String message, Throwable cause) {
    super(message, cause);
  }
}

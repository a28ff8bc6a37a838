package io.berth.operator.command;

/**
 * Thrown if Berth cannot start for a reason that the user can fix. The message is one line: what,
 * where, what to do.
 */
public class StartFailure extends Exception {

  private static final long serialVersionUID = 1L;

  public StartFailure(String message) {
    super(message);
  }

  StartFailure(String message, Throwable cause) {
    super(message, cause);
  }
}

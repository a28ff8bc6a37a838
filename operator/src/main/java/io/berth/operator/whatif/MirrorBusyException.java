package io.berth.operator.whatif;

/** Thrown if a question is not answered because too many others are waiting. */
public final class MirrorBusyException extends Exception {
  private static final long serialVersionUID = 1;
  private final boolean ofUser;

  MirrorBusyException(boolean ofUser, String message) {
    super(message);
    this.ofUser = ofUser;
  }

  /** Returns whether the user has asked too much, and not all users together. */
  public boolean isOfUser() {
    return ofUser;
  }
}

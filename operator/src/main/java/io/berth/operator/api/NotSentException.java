package io.berth.operator.api;

import java.io.Serial;

/** Thrown if a request is not sent because its condition no longer holds. */
final class NotSentException extends Exception {

  @Serial private static final long serialVersionUID = 1;

  NotSentException() {
    super("not sent", null, false, false);
  }
}

package io.berth.operator.api;

import java.io.Serial;

/** Says that a request was held back, as its condition did not hold any more. */
final class NotSentException extends Exception {

  @Serial private static final long serialVersionUID = 1;

  NotSentException() {
    super("not sent", null, false, false);
  }
}

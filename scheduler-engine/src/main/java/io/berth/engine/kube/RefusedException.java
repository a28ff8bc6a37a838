package io.berth.engine.kube;

/** Why an object is not taken in; caught where objects enter, so it never leaves this package. */
final class RefusedException extends RuntimeException {
  RefusedException(String reason) {
    super(reason);
  }

  RefusedException(String reason, Throwable cause) {
    super(reason, cause);
  }
}

package io.berth.engine.kube;

/**
 * Thrown if an object is rejected, with the reason. It is caught where objects enter, so it never
 * leaves this package.
 */
final class RefusedException extends RuntimeException {
  RefusedException(String reason) {
    super(reason);
  }

  RefusedException(String reason, Throwable cause) {
    super(reason, cause);
  }
}

package io.berth.engine.kube;

/**
 * The reason for which an object is rejected. It is caught where objects enter, so it never leaves
 * this package.
 */
final class RefusedException extends RuntimeException {
  RefusedException(String reason) {
    super(reason);
  }

  RefusedException(String reason, Throwable cause) {
    super(reason, cause);
  }
}

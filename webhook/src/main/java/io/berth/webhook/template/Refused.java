package io.berth.webhook.template;

import io.berth.webhook.error.ErrorCode;

/**
 * Thrown if an expression is rejected, and caught where the path of the expression is known. Never
 * leaves the package.
 */
final class Refused extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final ErrorCode code;
  private final String words;

  Refused(ErrorCode code, String words) {
    super(words, null, false, false);
    this.code = code;
    this.words = words;
  }

  ErrorCode code() {
    return code;
  }

  String words() {
    return words;
  }
}

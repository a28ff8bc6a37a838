package io.berth.serving.tls;

import org.jspecify.annotations.Nullable;

/** Thrown if a Secret does not contain a usable webhook certificate. */
public final class UnreadableCertificateException extends Exception {
  private static final long serialVersionUID = 1L;

  UnreadableCertificateException(String field, String what, @Nullable Throwable cause) {
    super(
        "data[\""
            + field
            + "\"] of the Secret "
            + what
            + ": delete the Secret so that Berth creates a new one, or replace it with a complete"
            + " certificate",
        cause);
  }
}

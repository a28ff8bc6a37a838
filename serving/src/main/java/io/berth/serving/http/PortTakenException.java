package io.berth.serving.http;

import java.io.IOException;

/** Thrown if the port of a server is already in use. */
public final class PortTakenException extends IOException {
  private static final long serialVersionUID = 1L;

  PortTakenException(int port, String option, Exception cause) {
    super(
        ("port %d is in use by another process: stop that one (ss -ltnp 'sport = :%d' shows it), or"
                + " choose another with %s (0 takes a free one)")
            .formatted(port, port, option),
        cause);
  }
}

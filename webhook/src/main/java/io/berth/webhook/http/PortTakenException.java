package io.berth.webhook.http;

import java.io.IOException;

/** Something else listens on the port that the webhook was to listen on. */
public final class PortTakenException extends IOException {
  private static final long serialVersionUID = 1L;

  PortTakenException(int port, IOException cause) {
    super(
        "port "
            + port
            + " is in use by another process: stop that one (ss -ltnp 'sport = :"
            + port
            + "' shows it), or give Berth another port with --webhook-port",
        cause);
  }
}

package io.berth.sandbox.http;

import java.net.BindException;
import java.net.InetSocketAddress;

/** Thrown if another process listens on the configured port of the sandbox. */
public final class PortInUseException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  PortInUseException(InetSocketAddress address, BindException cause) {
    super(
        "the sandbox cannot listen on "
            + address.getHostString()
            + ":"
            + address.getPort()
            + ": "
            + cause.getMessage()
            + ". Stop the process that listens there, or choose another port (0 selects a free"
            + " port)",
        cause);
  }
}

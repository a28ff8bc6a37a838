package io.berth.demo.cluster;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports for processes that are started and restarted later. They are below the range from which
 * Linux (32768), macOS, and Windows (49152) choose ports for sockets that do not name one, so that
 * no other socket of the run takes them while their process is down.
 */
final class ReservedPorts {
  private static final int FIRST = 20_000;

  /** The number of ports. */
  static final int COUNT = 10_000;

  /** Begins at a different port in each process, because several may run at the same time. */
  private static final AtomicInteger NEXT =
      new AtomicInteger((int) (ProcessHandle.current().pid() * 61 % COUNT));

  private ReservedPorts() {}

  /**
   * Returns a port that nobody uses now. Each port is returned once, until all have been.
   *
   * @throws IOException if all ports are in use
   */
  static int next() throws IOException {
    for (int tried = 0; tried < COUNT; tried++) {
      int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
      if (isFree(port)) {
        return port;
      }
    }
    throw new IOException(
        "all ports from %d to %d are in use; end processes that listen there"
            .formatted(FIRST, FIRST + COUNT - 1));
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port)) {
      return socket.isBound();
    } catch (IOException taken) {
      return false;
    }
  }
}

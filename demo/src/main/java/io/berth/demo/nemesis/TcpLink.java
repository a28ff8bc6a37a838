package io.berth.demo.nemesis;

import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** A TCP forwarder to a local port that can cut or stall connections. */
final class TcpLink implements AutoCloseable {
  private static final String HOST = "127.0.0.1";

  private enum State {
    WHOLE,
    CUT,
    SILENT
  }

  private final NetServer server;
  private final NetClient client;
  private final int target;

  /**
   * The time of the last data, or else of the opening, of each connection, from {@link
   * System#nanoTime()}.
   */
  private final ConcurrentMap<NetSocket, Long> sockets = new ConcurrentHashMap<>();

  private volatile State state = State.WHOLE;

  TcpLink(Vertx vertx, int target) {
    this.target = target;
    this.client = vertx.createNetClient();
    this.server = vertx.createNetServer().connectHandler(this::accept);
    Vertxes.await(server.listen(0, HOST));
  }

  int port() {
    return server.actualPort();
  }

  /** Closes all connections, and new ones immediately. Data that arrives from now on is dropped. */
  void cut() {
    state = State.CUT;
    sockets.keySet().forEach(NetSocket::close);
  }

  /** Keeps the connections open but stalls all data. */
  void silence() {
    state = State.SILENT;
    sockets.keySet().forEach(NetSocket::pause);
  }

  /**
   * Permanently stalls connections that have been idle for a while. They stay open, as after a
   * gateway has dropped them from its table. New connections work.
   */
  void forgetIdle(Duration idle) {
    long busySince = System.nanoTime() - idle.toNanos();
    for (Map.Entry<NetSocket, Long> carried : sockets.entrySet()) {
      if (carried.getValue() - busySince < 0) {
        sockets.remove(carried.getKey());
        carried.getKey().pause();
      }
    }
  }

  /** Resumes all connections, including stalled data. */
  void mend() {
    state = State.WHOLE;
    sockets.keySet().forEach(NetSocket::resume);
  }

  @Override
  public void close() {
    Vertxes.await(server.close());
    Vertxes.await(client.close());
  }

  private void accept(NetSocket near) {
    if (state == State.CUT) {
      near.close();
      return;
    }
    near.pause();
    client
        .connect(target, HOST)
        .onSuccess(far -> join(near, far))
        .onFailure(unreachable -> near.close());
  }

  private void join(NetSocket near, NetSocket far) {
    carry(near, far);
    carry(far, near);
    switch (state) {
      case WHOLE -> {
        near.resume();
        far.resume();
      }
      case SILENT -> {
        near.pause();
        far.pause();
      }
      case CUT -> near.close();
    }
  }

  private void carry(NetSocket from, NetSocket to) {
    sockets.put(from, System.nanoTime());
    from.handler(
        bytes -> {
          if (state == State.CUT) {
            return; // the connection is about to close
          }
          sockets.replace(from, System.nanoTime());
          sockets.replace(to, System.nanoTime());
          to.write(bytes);
          if (to.writeQueueFull()) {
            from.pause();
            to.drainHandler(
                drained -> {
                  if (state == State.WHOLE && sockets.containsKey(from)) {
                    from.resume();
                  }
                });
          }
        });
    from.closeHandler(
        closed -> {
          sockets.remove(from);
          to.close();
        });
    from.exceptionHandler(broken -> from.close());
  }
}

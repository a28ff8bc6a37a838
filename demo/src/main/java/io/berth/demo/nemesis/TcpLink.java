package io.berth.demo.nemesis;

import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A wire to a port of this machine that can be cut, or carry nothing for a while. */
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
  private final Set<NetSocket> sockets = ConcurrentHashMap.newKeySet();
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

  /** Closes every connection; new ones are closed at once. */
  void cut() {
    state = State.CUT;
    sockets.forEach(NetSocket::close);
  }

  /** Keeps the connections, but carries nothing: what is sent stays where it is. */
  void silence() {
    state = State.SILENT;
    sockets.forEach(NetSocket::pause);
  }

  /** Carries everything again, also what was held back. */
  void mend() {
    state = State.WHOLE;
    sockets.forEach(NetSocket::resume);
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
    sockets.add(from);
    from.handler(
        bytes -> {
          to.write(bytes);
          if (to.writeQueueFull()) {
            from.pause();
            to.drainHandler(
                drained -> {
                  if (state == State.WHOLE) {
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

package io.berth.operator.feed;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** A TCP proxy in front of an API server, whose connections a test can silence or cut. */
public final class FaultyConnection implements AutoCloseable {

  private final int target;
  private final ServerSocket server;
  private final List<Pipe> pipes = new ArrayList<>();
  private volatile boolean swallowNew;
  private volatile boolean closed;

  private FaultyConnection(int target, ServerSocket server) {
    this.target = target;
    this.server = server;
  }

  /** Listens on a free port and forwards all traffic to the target. */
  public static FaultyConnection to(int target) throws IOException {
    FaultyConnection proxy =
        new FaultyConnection(target, new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
    Thread.ofVirtual().name("faulty-connection").start(proxy::accept);
    return proxy;
  }

  public int port() {
    return server.getLocalPort();
  }

  /** Stops all traffic without closing a connection, as in a network outage. */
  public void goSilent() {
    swallowNew = true;
    silenceOpenConnections();
  }

  /** Stops the traffic of the open connections; new ones work. */
  public void silenceOpenConnections() {
    synchronized (pipes) {
      pipes.forEach(pipe -> pipe.silent = true);
    }
  }

  /** Makes new connections work again; silenced ones remain silent. */
  public void heal() {
    swallowNew = false;
  }

  @Override
  public void close() throws IOException {
    closed = true;
    server.close();
    synchronized (pipes) {
      for (Pipe pipe : pipes) {
        pipe.close();
      }
    }
  }

  private void accept() {
    while (!closed) {
      try {
        Socket near = server.accept();
        Pipe pipe = new Pipe(near, new Socket(InetAddress.getLoopbackAddress(), target));
        pipe.silent = swallowNew;
        synchronized (pipes) {
          pipes.add(pipe);
        }
        pipe.start();
      } catch (IOException e) {
        if (!closed) {
          throw new IllegalStateException("the proxy cannot go on", e);
        }
      }
    }
  }

  /** Forwards both directions of a connection. */
  private static final class Pipe {
    private final Socket near;
    private final Socket far;
    private volatile boolean silent;

    Pipe(Socket near, Socket far) {
      this.near = near;
      this.far = far;
    }

    void start() {
      Thread.ofVirtual().name("to-server").start(() -> pump(near, far));
      Thread.ofVirtual().name("to-client").start(() -> pump(far, near));
    }

    private void pump(Socket from, Socket to) {
      byte[] buffer = new byte[64 * 1024];
      try {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
          if (!silent) {
            out.write(buffer, 0, read);
            out.flush();
          }
        }
      } catch (IOException e) {
        // one side has closed the connection; the other is closed below
      }
      if (!silent) {
        close();
      }
    }

    private void close() {
      try (near;
          far) {
        // both sides are closed
      } catch (IOException e) {
        throw new IllegalStateException("a socket cannot be closed", e);
      }
    }
  }
}

package io.berth.demo.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A single address for several replicas, like a Service for pods. A new connection goes to a
 * replica that is ready according to its probes, and open connections are not moved. As with the
 * defaults of a readiness probe, a replica becomes unready after three failed probes and ready
 * after one successful probe.
 */
public final class Balancer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Balancer.class);
  private static final int FAILURE_THRESHOLD = 3;
  private static final int BACKLOG = 256;

  private final ServerSocket listener;
  private final Duration probeEvery;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  // Guarded by this.
  private final List<Endpoint> endpoints = new ArrayList<>();
  private int turn;

  private static final class Endpoint {
    private final BerthProcess replica;
    private int failures = FAILURE_THRESHOLD;

    Endpoint(BerthProcess replica) {
      this.replica = replica;
    }
  }

  /**
   * Starts to listen.
   *
   * @param probeEvery the interval of the readiness probes
   */
  public Balancer(Duration probeEvery) throws IOException {
    this.probeEvery = probeEvery;
    this.listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    threads.execute(this::accept);
  }

  /** Returns the port of the address. */
  public int port() {
    return listener.getLocalPort();
  }

  /** Adds a replica, which receives connections while it is ready. */
  public void add(BerthProcess replica) {
    Endpoint endpoint = new Endpoint(replica);
    synchronized (this) {
      endpoints.add(endpoint);
    }
    threads.execute(() -> probe(endpoint));
  }

  /** Returns whether the replica receives new connections. */
  public synchronized boolean sendsTo(BerthProcess replica) {
    return endpoints.stream().anyMatch(each -> each.replica == replica && isReady(each));
  }

  @Override
  public void close() throws IOException {
    listener.close();
    threads.shutdownNow();
  }

  private static boolean isReady(Endpoint endpoint) {
    return endpoint.failures < FAILURE_THRESHOLD;
  }

  private void probe(Endpoint endpoint) {
    try {
      while (!listener.isClosed()) {
        boolean ready = answersReady(endpoint.replica);
        synchronized (this) {
          endpoint.failures = ready ? 0 : endpoint.failures + 1;
        }
        Thread.sleep(probeEvery);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean answersReady(BerthProcess replica) {
    try {
      return replica.isReady();
    } catch (IOException e) {
      LOG.debug("{} does not respond to its probe", replica.name(), e);
      return false;
    }
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        threads.execute(() -> serve(client));
      } catch (IOException e) {
        if (!listener.isClosed()) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  private synchronized List<BerthProcess> inTurn() {
    List<BerthProcess> ready =
        endpoints.stream().filter(Balancer::isReady).map(each -> each.replica).toList();
    return ready.isEmpty() ? ready : List.of(ready.get(Math.floorMod(turn++, ready.size())));
  }

  private void serve(Socket client) {
    try (client) {
      for (BerthProcess chosen : inTurn()) {
        try (Socket server =
            new Socket(InetAddress.getLoopbackAddress(), chosen.port("--webhook-port"))) {
          threads.execute(() -> copy(server, client));
          copy(client, server);
        }
      }
    } catch (IOException e) {
      LOG.debug("a connection broke", e); // both ends are closed
    }
  }

  /** Copies bytes until the end of the stream, and then shuts down the output. */
  private static void copy(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
      to.shutdownOutput();
    } catch (IOException e) {
      LOG.debug("a connection broke", e);
      closeQuietly(to);
    }
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.debug("a broken connection did not close", e);
    }
  }
}

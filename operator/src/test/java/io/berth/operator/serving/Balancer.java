package io.berth.operator.serving;

import io.berth.operator.Berth;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A load balancer for several replicas, like a Service: a new connection goes to a replica that was
 * ready when the endpoints were last checked, and an open one stays where it is.
 */
final class Balancer implements AutoCloseable {
  private static final long LOOK_EVERY_MILLIS = 500;

  private final ServerSocket listener;
  private final List<Berth> replicas = new CopyOnWriteArrayList<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private volatile List<Berth> endpoints = List.of();
  private int turn;

  Balancer() throws IOException {
    listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    threads.execute(this::accept);
    threads.execute(this::look);
  }

  int port() {
    return listener.getLocalPort();
  }

  void add(Berth replica) {
    replicas.add(replica);
  }

  void remove(Berth replica) {
    replicas.remove(replica);
  }

  boolean sendsTo(Berth replica) {
    return endpoints.contains(replica);
  }

  @Override
  public void close() throws IOException {
    listener.close();
    threads.shutdownNow();
  }

  private void look() {
    try {
      while (!listener.isClosed()) {
        endpoints = replicas.stream().filter(each -> each.problems().isEmpty()).toList();
        Thread.sleep(LOOK_EVERY_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        List<Berth> ready = endpoints;
        if (ready.isEmpty()) {
          client.close();
        } else {
          Berth chosen = ready.get(Math.floorMod(turn++, ready.size()));
          threads.execute(() -> connect(client, chosen.webhookPort().orElseThrow()));
        }
      } catch (IOException e) {
        if (!listener.isClosed()) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  private void connect(Socket client, int port) {
    try (client;
        Socket server = new Socket(InetAddress.getLoopbackAddress(), port)) {
      var back = threads.submit(() -> copy(server, client));
      copy(client, server);
      back.cancel(true);
    } catch (IOException e) {
      // The client sees that its connection is closed.
    }
  }

  private static void copy(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException e) {
      // One side is closed, so close the other as well.
    } finally {
      try {
        to.shutdownOutput();
      } catch (IOException e) {
        // Closed already.
      }
    }
  }
}

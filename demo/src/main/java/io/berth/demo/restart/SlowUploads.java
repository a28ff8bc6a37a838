package io.berth.demo.restart;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * Clients that slowly send reviews of 8 MiB, at 256 KiB per second, until the server's time limit
 * for request bodies, and never complete them. A rejected client tries again.
 */
final class SlowUploads implements AutoCloseable {
  private static final int BODY_BYTES = 8 << 20;
  private static final int PART_BYTES = 64 << 10;
  private static final Duration PART_PAUSE = Duration.ofMillis(250);
  private static final Duration BEFORE_AGAIN = Duration.ofSeconds(1);

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong turnedAway = new AtomicLong();
  private final SSLContext trusting;
  private final int port;
  private volatile boolean closed;

  SlowUploads(int clients, int port, SSLContext trusting) {
    this.port = port;
    this.trusting = trusting;
    for (int i = 0; i < clients; i++) {
      threads.execute(this::again);
    }
  }

  /** Returns the number of bytes sent by all clients. */
  long sentBytes() {
    return sent.get();
  }

  @Override
  public void close() {
    closed = true;
    threads.shutdownNow();
    threads.close();
  }

  private void again() {
    try {
      while (!closed) {
        upload();
        Thread.sleep(BEFORE_AGAIN);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void upload() throws InterruptedException {
    try (SSLSocket socket =
        (SSLSocket)
            trusting.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)) {
      OutputStream out = socket.getOutputStream();
      out.write(
          """
          POST /mutate/pods HTTP/1.1\r
          Host: berth\r
          Content-Type: application/json\r
          Content-Length: %d\r
          \r
          """
              .formatted(BODY_BYTES)
              .getBytes(StandardCharsets.US_ASCII));
      int left = BODY_BYTES - 1;
      while (left > 0 && !closed) {
        int part = Math.min(left, PART_BYTES);
        out.write(new byte[part]);
        sent.addAndGet(part);
        left -= part;
        Thread.sleep(PART_PAUSE);
      }
    } catch (IOException e) {
      turnedAway.incrementAndGet(); // expected: 503, 408, or a replica that is down
    }
  }

  /** Returns the number of rejected or failed connections. */
  long turnedAway() {
    return turnedAway.get();
  }
}

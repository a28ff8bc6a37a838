package io.berth.webhook.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable;

/**
 * The body of one request as it comes in. Bytes are charged to the budget when they have come, not
 * when they are announced, and given back by {@link #close}: when the answer is sent, since what is
 * made of a body lives as long.
 */
final class RequestBody implements AutoCloseable {

  /** The result of reading a body. */
  enum End {
    COMPLETE,
    TOO_LARGE,
    NO_ROOM,
    TOO_SLOW
  }

  /** The minimum time that a rejected client has for the rest of its body. */
  private static final Duration LINGER = Duration.ofSeconds(2);

  private final Request request;
  private final ServerSettings settings;
  private final BodyBudget budget;
  private final ReadRate discarding;
  private long deadline;
  private final List<byte[]> parts = new ArrayList<>();
  private int size;
  private long charged;
  private boolean read;

  /**
   * @param discarding the rate at which the server reads the rest of all refused bodies together
   */
  RequestBody(Request request, ServerSettings settings, BodyBudget budget, ReadRate discarding) {
    this.request = request;
    this.settings = settings;
    this.budget = budget;
    this.discarding = discarding;
    this.deadline = System.nanoTime() + settings.bodyTimeout().toNanos();
  }

  /**
   * Reads to the end, or as far as limits allow.
   *
   * @param keep whether the bytes are wanted; others are read so that the connection can be used
   *     again
   * @throws IOException when the client went away or broke the protocol
   */
  End read(boolean keep) throws IOException, InterruptedException {
    if (request.getLength() > settings.maxBodyBytes()) {
      return End.TOO_LARGE;
    }
    while (true) {
      Content.Chunk chunk = request.read();
      if (chunk == null) {
        if (!awaitMore()) {
          return End.TOO_SLOW;
        }
        continue;
      }
      if (Content.Chunk.isFailure(chunk)) {
        throw new IOException(chunk.getFailure());
      }
      try {
        read = chunk.isLast();
        End refused = take(chunk.getByteBuffer(), keep);
        if (refused != End.COMPLETE || chunk.isLast()) {
          return refused;
        }
      } finally {
        chunk.release();
      }
    }
  }

  /** Returns whether the client has sent all of it. */
  boolean isRead() {
    return read;
  }

  /** The bytes, once reading is complete. */
  byte[] bytes() {
    if (parts.size() == 1) {
      return parts.getFirst();
    }
    ByteBuffer all = ByteBuffer.allocate(size);
    parts.forEach(all::put);
    parts.clear();
    return all.array();
  }

  /**
   * Reads and drops what a client still sends after it was refused: a client whose connection is
   * closed while it sends does not see the answer. Ends after the time and the bytes that a body
   * may take, and closes the connection if the body is not complete by then. All refused bodies
   * share one rate, so that clients that keep sending cannot take the processor from others.
   */
  void discardRest() throws InterruptedException {
    close();
    parts.clear();
    long soonest = System.nanoTime() + LINGER.toNanos();
    deadline = deadline - soonest > 0 ? deadline : soonest;
    long left = settings.maxBodyBytes();
    while (left > 0) {
      Content.Chunk chunk = request.read();
      if (chunk == null) {
        if (!awaitMore()) {
          return;
        }
        continue;
      }
      int read = chunk.remaining();
      left -= read;
      boolean over = chunk.isLast() || Content.Chunk.isFailure(chunk);
      chunk.release();
      if (over) {
        return;
      }
      Duration pause = discarding.take(read);
      if (pause.toNanos() > deadline - System.nanoTime()) {
        return;
      }
      Thread.sleep(pause);
    }
  }

  @Override
  public void close() {
    budget.giveBack(charged);
    charged = 0;
  }

  private End take(ByteBuffer bytes, boolean keep) {
    int more = bytes.remaining();
    size += more;
    if (size > settings.maxBodyBytes()) {
      return End.TOO_LARGE;
    }
    if (keep && more > 0) {
      long owed = Math.max(0, size - settings.freeBodyBytes()) - charged;
      if (!budget.take(owed)) {
        return End.NO_ROOM;
      }
      charged += owed;
      byte[] part = new byte[more];
      bytes.get(part);
      parts.add(part);
    }
    return End.COMPLETE;
  }

  private boolean awaitMore() throws InterruptedException {
    CountDownLatch more = new CountDownLatch(1);
    request.demand(Invocable.from(Invocable.InvocationType.NON_BLOCKING, more::countDown));
    Duration left = Duration.ofNanos(deadline - System.nanoTime());
    return left.isPositive() && more.await(left.toNanos(), TimeUnit.NANOSECONDS);
  }
}

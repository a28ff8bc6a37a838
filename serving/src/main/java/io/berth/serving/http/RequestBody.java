package io.berth.serving.http;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of one request. Bytes are taken from the client's share when they are received,
 * not when they are announced, and given back by {@link #close} when the response is known, because
 * objects that are parsed from a body exist until then.
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
  private final InetAddress client;
  private final ServerLimits limits;
  private final ServerSettings settings;
  private long deadline;
  private final List<byte[]> parts = new ArrayList<>();
  private int size;
  private long smallCharged;
  private long largeCharged;
  private boolean read;

  /**
   * Opens when more bytes arrive, while they are waited for; Jetty accepts one demand at a time.
   */
  private @Nullable CountDownLatch demanded;

  /** Creates a reader for the body of a client's request, whose timeout starts now. */
  RequestBody(Request request, InetAddress client, ServerLimits limits) {
    this.request = request;
    this.client = client;
    this.limits = limits;
    this.settings = limits.settings();
    this.deadline = System.nanoTime() + settings.bodyTimeout().toNanos();
  }

  /** Returns whether the request has no body, without waiting for bytes; call this at most once. */
  boolean isAbsent() {
    Content.Chunk chunk = request.read();
    if (chunk == null) {
      return false;
    }
    size = chunk.remaining();
    read = chunk.isLast() && !Content.Chunk.isFailure(chunk);
    chunk.release();
    return read && size == 0;
  }

  /**
   * Reads the body until its end or until a limit is exceeded.
   *
   * @param keep whether to keep the bytes; otherwise they are discarded so that the connection can
   *     be reused
   * @throws IOException if the client closed the connection or violated the protocol
   */
  End read(boolean keep) throws IOException, InterruptedException {
    if (read) {
      return End.COMPLETE;
    }
    if (request.getLength() > settings.maxBodyBytes()) {
      return End.TOO_LARGE;
    }
    while (true) {
      Content.Chunk chunk = nextChunk();
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
        End refused = take(chunk.getByteBuffer(), chunk.isLast(), keep);
        if (refused != End.COMPLETE || chunk.isLast()) {
          return refused;
        }
      } finally {
        chunk.release();
      }
    }
  }

  /**
   * Gives back the share of a complete body's small part, which counts as a running request from
   * now on. So incomplete bodies do not take the room of complete ones, even of the same address.
   */
  void beginsToRun() {
    limits.smallBytes().giveBack(client, smallCharged);
    smallCharged = 0;
  }

  /** Returns whether the complete body has been received. */
  boolean isRead() {
    return read;
  }

  /** Returns whether more than the free size of the body has been received. */
  boolean isLarge() {
    return size > settings.freeBodyBytes();
  }

  /** Returns the bytes of a complete body; may be called only once. */
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
   * Reads and discards the rest of a rejected body, because a client whose connection is closed
   * while it sends does not read the response. Stops at the body's timeout; Jetty then closes the
   * connection if the body is incomplete. All rejected bodies share one rate, so that clients that
   * keep sending cannot use the CPU time of others.
   */
  void discardRest() throws InterruptedException {
    close();
    parts.clear();
    long soonest = System.nanoTime() + LINGER.toNanos();
    deadline = deadline - soonest > 0 ? deadline : soonest;
    while (true) {
      Content.Chunk chunk = nextChunk();
      if (chunk == null) {
        if (!awaitMore()) {
          return;
        }
        continue;
      }
      int read = chunk.remaining();
      boolean over = chunk.isLast() || Content.Chunk.isFailure(chunk);
      chunk.release();
      if (over) {
        return;
      }
      Duration pause = limits.discarding().take(read);
      if (pause.toNanos() > deadline - System.nanoTime()) {
        return;
      }
      Thread.sleep(pause);
    }
  }

  @Override
  public void close() {
    limits.smallBytes().giveBack(client, smallCharged);
    limits.largeBytes().giveBack(client, largeCharged);
    smallCharged = 0;
    largeCharged = 0;
  }

  private End take(ByteBuffer bytes, boolean last, boolean keep) {
    int more = bytes.remaining();
    size += more;
    if (size > settings.maxBodyBytes()) {
      return End.TOO_LARGE;
    }
    if (keep && more > 0) {
      // The number of running requests is the limit on small bodies that are complete.
      boolean complete = last || size == request.getLength();
      if (!(complete && !isLarge()) && !charge()) {
        return End.NO_ROOM;
      }
      byte[] part = new byte[more];
      bytes.get(part);
      parts.add(part);
    }
    return End.COMPLETE;
  }

  private boolean charge() {
    long small = Math.min(size, settings.freeBodyBytes()) - smallCharged;
    if (!limits.smallBytes().take(client, small)) {
      return false;
    }
    smallCharged += small;
    long large = Math.max(0, size - settings.freeBodyBytes()) - largeCharged;
    if (!limits.largeBytes().take(client, large)) {
      return false;
    }
    largeCharged += large;
    return true;
  }

  /**
   * Reads what has arrived; null if the connection has to be waited for. Decryption takes CPU time,
   * and virtual threads are not preempted, so bodies beyond the free size are read one chunk after
   * the other.
   */
  private Content.@Nullable Chunk nextChunk() throws InterruptedException {
    if (demanded != null) {
      return null; // after a timeout, the connection may not have called back yet
    }
    if (size < settings.freeBodyBytes()) {
      return request.read();
    }
    limits.largeReads().acquire();
    try {
      return request.read();
    } finally {
      limits.largeReads().release();
    }
  }

  /** Waits for more bytes until the deadline; may be called again after it with a later one. */
  private boolean awaitMore() throws InterruptedException {
    CountDownLatch more = demanded;
    if (more == null) {
      more = new CountDownLatch(1);
      demanded = more;
      request.demand(Invocable.from(Invocable.InvocationType.NON_BLOCKING, more::countDown));
    }
    Duration left = Duration.ofNanos(deadline - System.nanoTime());
    boolean arrived = left.isPositive() && more.await(left.toNanos(), TimeUnit.NANOSECONDS);
    if (arrived) {
      demanded = null;
    }
    return arrived;
  }
}

package io.berth.operator.feed;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The response to one watch request, frame by frame. Not thread-safe. At most {@value #AHEAD} parts
 * of the response wait for the reader, so that a slow reader slows down the connection instead of
 * filling memory.
 */
final class WatchStream implements AutoCloseable {

  private static final int AHEAD = 8;
  private static final int LONGEST_ERROR_BYTES = 64 * 1024;
  private static final Duration ERROR_TIMEOUT = Duration.ofSeconds(5);

  private final BlockingQueue<Part> parts;
  private final ArrayDeque<byte[]> frames = new ArrayDeque<>();
  private final AtomicInteger waiting;
  private final HttpResponse<AsyncBody> response;
  private boolean ended;

  private sealed interface Part {}

  private record Bytes(List<ByteBuffer> buffers) implements Part {}

  private record End(Optional<Throwable> failure) implements Part {}

  /** The result of {@link #next}. */
  sealed interface Next {}

  /** The bytes of one event. */
  static final class Frame implements Next {
    private final byte[] bytes;

    Frame(byte[] bytes) {
      this.bytes = bytes;
    }

    byte[] bytes() {
      return bytes;
    }
  }

  /** The server has ended the response, or the connection is closed. */
  record Ended(Optional<Throwable> failure) implements Next {}

  /** Nothing arrived within the limit. */
  record Silence() implements Next {}

  private WatchStream(
      HttpResponse<AsyncBody> response, BlockingQueue<Part> parts, AtomicInteger waiting) {
    this.response = response;
    this.parts = parts;
    this.waiting = waiting;
  }

  /**
   * Sends the request and waits until the response begins.
   *
   * @param accept the value of the Accept header
   * @throws IOException when there is no response within the limit
   */
  static WatchStream open(HttpClient http, String uri, String accept, Duration limit)
      throws IOException, InterruptedException {
    HttpRequest request =
        http.newHttpRequestBuilder().uri(uri).header("Accept", accept).forStreaming().build();
    BlockingQueue<Part> parts = new LinkedBlockingQueue<>();
    AtomicInteger waiting = new AtomicInteger();
    CompletableFuture<HttpResponse<AsyncBody>> answer =
        http.consumeBytes(
            request,
            (buffers, body) -> {
              parts.add(new Bytes(buffers));
              // Requested on the connection's own thread, the next part does not need to wake it.
              if (waiting.incrementAndGet() < AHEAD) {
                body.consume();
              }
            });
    HttpResponse<AsyncBody> response =
        ResponseWait.await(answer, limit, late -> late.body().cancel());
    AsyncBody body = response.body();
    var _ =
        body.done()
            .whenComplete((done, failure) -> parts.add(new End(Optional.ofNullable(failure))));
    body.consume();
    return new WatchStream(response, parts, waiting);
  }

  int code() {
    return response.code();
  }

  @Nullable String contentType() {
    return response.header("Content-Type");
  }

  /** The body of an error response, truncated if it is long. */
  byte[] errorBody() throws InterruptedException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    long deadline = System.nanoTime() + ERROR_TIMEOUT.toNanos();
    while (body.size() < LONGEST_ERROR_BYTES) {
      Part part = parts.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (!(part instanceof Bytes(List<ByteBuffer> buffers))) {
        ended = part instanceof End;
        break;
      }
      for (ByteBuffer buffer : buffers) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        body.writeBytes(bytes);
      }
      read();
    }
    return body.toByteArray();
  }

  /**
   * Waits for the next frame, up to the limit.
   *
   * @param splitting what splits the response into frames; the same in every call
   * @throws IOException if the response is not a sequence of frames
   */
  Next next(WatchFrames splitting, Duration limit) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (frames.isEmpty()) {
      if (ended) {
        return new Ended(Optional.empty());
      }
      Part part = parts.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      switch (part) {
        case null -> {
          return new Silence();
        }
        case End(Optional<Throwable> failure) -> {
          ended = true;
          return new Ended(failure);
        }
        case Bytes(List<ByteBuffer> buffers) -> {
          for (ByteBuffer buffer : buffers) {
            splitting.take(buffer, frames::add);
          }
          read();
        }
      }
    }
    return new Frame(frames.remove());
  }

  /** Records that a part has been read, and requests the next one if that had to wait for it. */
  private void read() {
    if (waiting.getAndDecrement() == AHEAD) {
      response.body().consume();
    }
  }

  /**
   * Cancels the response unless it has ended, after which its connection may already serve another
   * request.
   */
  @Override
  public void close() {
    if (!ended) {
      response.body().cancel();
    }
  }
}

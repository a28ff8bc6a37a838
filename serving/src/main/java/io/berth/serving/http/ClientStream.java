package io.berth.serving.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * A body on its way to the client. One piece is in flight at a time, so a client that does not read
 * holds no more than that, and is given up after a while. A body in which nothing happens for long
 * is not taken for an idle connection.
 */
final class ClientStream implements BodyStream {
  private final Response response;
  private final Duration patience;
  private volatile boolean gone;

  /**
   * @param patience the maximum time that the client may need to take one piece
   */
  ClientStream(Request request, Response response, Duration patience) {
    this.response = response;
    this.patience = patience;
    stayWhileIdle(request);
    request.addFailureListener(failure -> gone = true);
  }

  /** Keeps the connection. The listener alone prevents only the first timeout of HTTP/2 streams. */
  private static void stayWhileIdle(Request request) {
    request.addIdleTimeoutListener(idle -> false);
    if (request.getConnectionMetaData().getConnection() instanceof HTTP2Connection connection) {
      Stream stream = connection.getSession().getStream(Integer.parseInt(request.getId()));
      if (stream != null) { // null if the client has reset it
        stream.setIdleTimeout(0);
      }
    }
  }

  @Override
  public void write(byte[] bytes) throws IOException, InterruptedException {
    write(false, bytes);
  }

  private void write(boolean last, byte[] bytes) throws IOException, InterruptedException {
    CompletableFuture<Void> sent = new CompletableFuture<>();
    response.write(last, ByteBuffer.wrap(bytes), Callback.from(sent));
    try {
      sent.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new IOException("the client reads too slowly", e);
    } catch (ExecutionException e) {
      throw new IOException("the client has gone", e.getCause());
    }
  }

  /** Ends the body. */
  void end() throws IOException, InterruptedException {
    write(true, new byte[0]);
  }

  @Override
  public boolean isOpen() {
    return !gone;
  }
}

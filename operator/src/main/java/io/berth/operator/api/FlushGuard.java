package io.berth.operator.api;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last check of the conditions under which requests may be sent, right before their bytes are
 * handed to the operating system.
 *
 * <p>Requests that follow from one response are written with one flush. A process that is suspended
 * between their own checks and the flush may wake up when its term is over. The guard then closes
 * the connection, with all that was written and not flushed.
 */
final class FlushGuard extends ChannelOutboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(FlushGuard.class);

  /** The conditions of the requests that were written since the last flush. */
  private final Set<BooleanSupplier> conditions = new HashSet<>();

  /**
   * Guards a connection that was just opened.
   *
   * @throws IllegalStateException if the HTTP client does not give access to its channel
   */
  static void guard(HttpConnection connection) {
    channel(connection).pipeline().addFirst(new FlushGuard());
  }

  /** Adds the condition of a request that is written next on the connection. */
  static void onlyIf(BooleanSupplier condition, HttpConnection connection) {
    FlushGuard guard = channel(connection).pipeline().get(FlushGuard.class);
    if (guard != null) { // null if the connection has been closed: the request then fails by itself
      guard.conditions.add(condition);
    }
  }

  private static Channel channel(HttpConnection connection) {
    if (connection instanceof ConnectionBase base) {
      return base.channel();
    }
    throw new IllegalStateException("a connection without channel: " + connection.getClass());
  }

  @Override
  public void flush(ChannelHandlerContext context) {
    if (mayFlush()) {
      context.flush();
    } else {
      LOG.warn("The term ended before requests were sent: their connection is closed");
      var _ = context.close();
    }
  }

  private boolean mayFlush() {
    try {
      return conditions.stream().allMatch(BooleanSupplier::getAsBoolean);
    } finally {
      conditions.clear();
    }
  }
}

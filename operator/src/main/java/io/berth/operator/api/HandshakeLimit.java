package io.berth.operator.api;

import java.time.Duration;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.io.ssl.SslHandshakeListener;

/**
 * Closes connections whose TLS handshake stalls. The pool opens no other connection for the
 * requests that wait for this one, so a handshake with an unresponsive peer would consume the whole
 * time limit of each of them.
 *
 * @param handshake the idle timeout during the handshake
 * @param afterwards the idle timeout after the handshake
 */
record HandshakeLimit(Duration handshake, Duration afterwards) implements Connection.Listener {

  @Override
  public void onOpened(Connection connection) {
    if (connection instanceof SslConnection tls) {
      tls.getEndPoint().setIdleTimeout(handshake.toMillis());
      tls.addHandshakeListener(
          new SslHandshakeListener() {
            @Override
            public void handshakeSucceeded(Event event) {
              tls.getEndPoint().setIdleTimeout(afterwards.toMillis());
            }
          });
    }
  }
}

package io.berth.operator.api;

import java.time.Duration;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.io.ssl.SslHandshakeListener;

/**
 * Ends TLS handshakes that stall. The pool opens no other connection for the requests that wait for
 * one, so a handshake with an end that has gone would cost each of them its whole time limit.
 *
 * @param handshake how long no byte may come during a handshake
 * @param afterwards how long a connection may be idle after it
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

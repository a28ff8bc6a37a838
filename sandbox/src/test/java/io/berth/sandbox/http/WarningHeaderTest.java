package io.berth.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class WarningHeaderTest {

  @Test
  void quotesAndBackslashes_areEscaped_andControlCharactersLeftOut() {
    assertThat(WarningHeader.of("say \"a\\b\"\r\nor\tnot"))
        .isEqualTo("299 - \"say \\\"a\\\\b\\\"ornot\"");
  }

  @Test
  void charactersBeyondLatin1_areSentAsUtf8_asTheRealApiServerDoes() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange
              .getResponseHeaders()
              .add("Warning", WarningHeader.of("caf\u00e9 \u2026 \ud83d\ude00"));
          exchange.sendResponseHeaders(204, -1);
        });
    server.start();
    try (Socket client =
        new Socket(server.getAddress().getAddress(), server.getAddress().getPort())) {
      client
          .getOutputStream()
          .write(
              "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      try (InputStream in = client.getInputStream()) {
        assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
            .contains("Warning: 299 - \"caf\u00e9 \u2026 \ud83d\ude00\"\r\n");
      }
    } finally {
      server.stop(0);
    }
  }
}

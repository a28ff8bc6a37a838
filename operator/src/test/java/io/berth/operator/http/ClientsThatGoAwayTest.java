package io.berth.operator.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.berth.serving.http.HttpAnswer;
import io.berth.serving.http.HttpServer;
import io.berth.serving.http.RequestHandler;
import io.berth.serving.http.RequestHead;
import io.berth.serving.http.ServerSettings;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** API servers abandon reviews that take too long, and clients stall; neither may flood the log. */
class ClientsThatGoAwayTest {
  private static final byte[] PART_OF_A_REQUEST =
      "POST / HTTP/1.1\r\nHost: berth\r\nContent-Length: 100\r\n\r\n{"
          .getBytes(StandardCharsets.US_ASCII);

  /** The beginnings of the names of the server's loggers. */
  private static final List<String> SERVER =
      List.of("io.berth.serving.", "io.berth.operator.http.", "org.eclipse.jetty.");

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

  @BeforeEach
  void listen() {
    log.start();
    root.addAppender(log);
  }

  @AfterEach
  void stopListening() {
    root.detachAppender(log);
  }

  /** Counts the requests that have ended. */
  private static final class Counting implements RequestHandler {
    private final Semaphore over = new Semaphore(0);

    @Override
    public Optional<HttpAnswer> refusal(RequestHead head) {
      return Optional.empty();
    }

    @Override
    public HttpAnswer answer(RequestHead head, byte[] body) {
      return HttpAnswer.text(200, "ok");
    }

    @Override
    public void answered(RequestHead head, int status, long nanos) {
      over.release();
    }
  }

  @Test
  void clientThatGoesAwayInItsBody_isNoWarning() throws Exception {
    Counting handler = new Counting();
    try (HttpServer server =
        HttpServer.start(ServerSettings.reviews(0), Optional.empty(), handler)) {
      try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
        client.getOutputStream().write(PART_OF_A_REQUEST);
      }

      assertThat(handler.over.tryAcquire(30, TimeUnit.SECONDS)).as("it is over").isTrue();
    }

    assertThat(warnings()).isEmpty();
  }

  @Test
  void clientThatStallsInItsBody_isNoWarning() throws Exception {
    Counting handler = new Counting();
    try (HttpServer server =
            HttpServer.start(ServerSettings.reviews(0), Optional.empty(), handler);
        Socket client = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      client.getOutputStream().write(PART_OF_A_REQUEST);

      assertThat(handler.over.tryAcquire(30, TimeUnit.SECONDS)).as("it is over").isTrue();
      assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
          .startsWith("HTTP/1.1 408 ");
    }

    assertThat(warnings()).isEmpty();
  }

  /** Returns what the server has logged; what earlier tests left behind may log, too. */
  private List<String> warnings() {
    return List.copyOf(log.list).stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .filter(event -> SERVER.stream().anyMatch(event.getLoggerName()::startsWith))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }
}

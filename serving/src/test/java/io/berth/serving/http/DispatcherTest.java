package io.berth.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.eclipse.jetty.server.LocalConnector;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests for which no thread can be started. */
class DispatcherTest {
  private static final String REQUEST = "GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";

  private final RequestsUnderWay underWay = new RequestsUnderWay();
  private final Deque<Error> failures = new ArrayDeque<>();
  private final Server server = new Server();
  private final LocalConnector connector = new LocalConnector(server);

  private static final class Pages implements RequestHandler {
    @Override
    public Optional<HttpAnswer> refusal(RequestHead head) {
      return Optional.empty();
    }

    @Override
    public HttpAnswer answer(RequestHead head, byte[] body) {
      return HttpAnswer.text(200, "page");
    }
  }

  private static final class NoIntake implements IdleConnections.Intake {
    @Override
    public void setAccepting(boolean accepting) {
      throw new AssertionError("few connections pause nothing");
    }

    @Override
    public void afterRound(Runnable task) {
      throw new AssertionError("few connections pause nothing");
    }
  }

  private void serve() throws Exception {
    ServerSettings settings = ServerSettings.pages(0, "--port");
    Executor threads =
        task -> {
          Error failure = failures.poll();
          if (failure != null) {
            throw failure;
          }
          Thread.startVirtualThread(task);
        };
    server.addConnector(connector);
    server.setHandler(
        new Dispatcher(
            ServerLimits.of(settings),
            new Pages(),
            peer -> false,
            underWay,
            new IdleConnections(settings, new NoIntake()),
            threads));
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    server.stop();
  }

  @Test
  void threadThatCannotBeStarted_freesTheSlotOfItsRequest() throws Exception {
    serve();
    for (int i = 0; i < 3; i++) {
      failures.add(new OutOfMemoryError("unable to create a thread, for this test"));
      assertThat(connector.getResponse(REQUEST)).startsWith("HTTP/1.1 500 ");
    }

    assertThat(underWay.awaitNone(Duration.ZERO)).as("no request is in progress").isTrue();
    assertThat(connector.getResponse(REQUEST)).startsWith("HTTP/1.1 200 ").endsWith("page\n");
    assertThat(underWay.awaitNone(Duration.ofSeconds(10))).isTrue();
  }
}

package io.berth.operator.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.operator.fixtures.ExpectedLog;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The end of the process; the test prevents it from exiting. */
class StopTest {

  private final List<Integer> halted = new CopyOnWriteArrayList<>();

  @Test
  @ExpectedLog("Stop ERROR The process exits.*the Lease was lost")
  void lostLease_letsTheMainThreadCloseEverything() throws InterruptedException {
    Stop stop = new Stop(Duration.ofMinutes(1), halted::add);

    stop.failed("the Lease was lost");
    stop.await(); // returns although there was no signal
    stop.closed();

    assertThat(stop.failure()).contains("the Lease was lost");
    assertThat(halted).isEmpty();
  }

  @Test
  @ExpectedLog("Stop ERROR The process exits.*the Lease was lost")
  @ExpectedLog("Stop ERROR Shutdown did not complete")
  void lostLease_endsTheProcess_alsoWhenClosingGetsStuck() {
    Stop stop = new Stop(Duration.ofMillis(50), halted::add);

    stop.failed("the Lease was lost");

    await().until(() -> halted.equals(List.of(1)));
  }

  @Test
  void signal_waitsUntilEverythingIsClosed() throws InterruptedException {
    Stop stop = new Stop(Duration.ofMinutes(1), halted::add);
    Thread hook = stop.hook();
    Thread main =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    stop.await();
                    stop.closed();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    await().until(() -> main.getState() == Thread.State.WAITING);

    hook.start();

    assertThat(hook.join(Duration.ofSeconds(10))).isTrue();
    assertThat(stop.failure()).isEmpty();
    assertThat(halted).isEmpty();
  }
}

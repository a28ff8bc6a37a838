package io.berth.demo.load;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A scheduler in another process, which is measured from its first binding. It is started by a
 * shell command and stopped after the run, or started by the user when prompted.
 */
public final class ForeignScheduler implements SchedulerRun.Start {
  private static final int STOP_SECONDS = 10;

  private final String name;
  private final Optional<String> command;
  private final PrintWriter out;

  /**
   * @param name schedulerName of the scheduler
   * @param command command for {@code sh -c} that starts it; empty if the user starts it
   */
  public ForeignScheduler(String name, Optional<String> command, PrintWriter out) {
    this.name = name;
    this.command = command;
    this.out = out;
  }

  @Override
  public SchedulerRun.Running start() throws IOException {
    if (command.isEmpty()) {
      out.println("All pods are pending. Start the scheduler " + name + " now.");
      out.flush();
      return new SchedulerRun.Running(null, null, () -> {});
    }
    Instant launched = Instant.now();
    Process process =
        new ProcessBuilder("sh", "-c", "exec " + command.get())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    return new SchedulerRun.Running(launched, null, () -> stop(process));
  }

  private static void stop(Process process) throws InterruptedException {
    process.destroy();
    if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
  }
}

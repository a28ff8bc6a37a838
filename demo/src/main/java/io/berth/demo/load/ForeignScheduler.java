package io.berth.demo.load;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A scheduler in another process, whose first binding is taken as its start: one that a shell
 * command starts and that ends with the run, or one that the user starts when asked to.
 */
public final class ForeignScheduler implements SchedulerRun.Start {
  private static final int STOP_SECONDS = 10;

  private final String name;
  private final Optional<String> command;
  private final PrintWriter out;

  /**
   * @param name its schedulerName
   * @param command what starts it, for {@code sh -c}; empty where the user does
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

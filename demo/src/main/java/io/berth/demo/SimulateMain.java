package io.berth.demo;

import io.berth.demo.simulation.Shrinking;
import io.berth.demo.simulation.Simulation;
import io.berth.operator.command.LogFormat;
import io.berth.operator.command.LogSetup;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code make simulate}: runs the leader's code on a virtual clock against simulated tenants. */
@Command(
    name = "make simulate",
    description =
        "Runs the leader's code on a virtual clock, against an API server in memory with faults"
            + " and tenants that are drawn from a seed. A run with violations is shortened.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
public final class SimulateMain implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--steps",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Number of the tenants' steps.")
  private int steps;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Seed of everything that is random. Default: the current time.")
  private @Nullable Long seed;

  @Option(
      names = "--shrink",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true",
      description = "Whether to shorten a run with violations.")
  private boolean shrink;

  @Option(
      names = "--record",
      paramLabel = "DIR",
      description =
          "Record the engine of each leader into this directory, for `berth.jar replay DIR`.")
  private @Nullable Path recording;

  private SimulateMain() {}

  /** Runs the simulation; exits with 1 if it finds violations. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new SimulateMain()).execute(args));
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    if (steps < 1) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "--steps must be 1 or more, and is " + steps);
    }
    LogSetup.use(LogFormat.TEXT);
    long chosen = seed == null ? System.currentTimeMillis() : seed;
    out.printf("Seed %d, %d steps%n", chosen, steps);
    out.flush();
    long began = System.nanoTime();
    Simulation.Report report = Simulation.run(steps, chosen, new BitSet(), directory());
    out.printf(
        "Simulated %d s in %d s: %d changes, %d crashes of the leader, %d probes, of which one"
            + " waited %d ms at most; digest %016x%n",
        report.simulated().toSeconds(),
        (System.nanoTime() - began) / 1_000_000_000,
        report.changes(),
        report.crashes(),
        report.probes(),
        report.longestProbe().toMillis(),
        report.digest());
    out.println("Bound pods by kind: " + report.bound());
    out.println("Bindings that were compared with the limit of a queue: " + report.limited());
    out.printf(
        "Statuses that were applied: %d; pods that were evicted for repair: %d%n",
        report.statuses(), report.repairs());
    out.printf(
        "Rollouts of policies: %d begun, %d completed, %d withdrawn; %d decisions were compared"
            + " with their shares%n",
        report.rollouts().begun(),
        report.rollouts().completed(),
        report.rollouts().aborted(),
        report.rolled());
    if (report.violations().isEmpty()) {
      out.println("simulate: OK");
      out.flush();
      return 0;
    }
    report.violations().forEach(out::println);
    out.flush();
    if (shrink) {
      Shrinking.Shortest shortest = Shrinking.of(steps, chosen, report);
      out.printf(
          "Shortened to %d of %d steps: %s%n",
          shortest.kept().cardinality(), shortest.steps(), shortest.kept());
      out.println(shortest.violation());
    }
    out.printf(
        """
        again, as a recording: make simulate STEPS=%d SEED=%d RECORD=build/simulate-%d
        and as a test: make keep-recording FROM=build/simulate-%d NAME=seed-%d
        simulate: %d violations; again: make simulate STEPS=%d SEED=%d
        """,
        steps, chosen, chosen, chosen, chosen, report.violations().size(), steps, chosen);
    out.flush();
    return 1;
  }

  private Optional<Path> directory() {
    Path wanted = recording;
    if (wanted == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(Files.createDirectories(wanted));
    } catch (IOException e) {
      throw new CommandLine.ParameterException(
          spec.commandLine(),
          "--record %s: the directory cannot be created: %s".formatted(wanted, e),
          e);
    }
  }
}

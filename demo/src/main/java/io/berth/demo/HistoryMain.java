package io.berth.demo;

import io.berth.demo.cluster.LocalCluster;
import io.berth.demo.cluster.RealApiServer;
import io.berth.demo.history.HistoryCheck;
import io.berth.demo.history.HistoryFile;
import io.berth.demo.history.Violation;
import io.berth.demo.trial.Trial;
import io.berth.demo.trial.TrialOptions;
import io.berth.demo.trial.TrialReport;
import io.berth.operator.command.LogFormat;
import io.berth.operator.command.LogSetup;
import io.berth.sandbox.kubelet.KubeletOptions;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code make history}: injects faults into running Berth instances and verifies the history of the
 * API server.
 */
@Command(
    name = "make history",
    description =
        "Runs three Berth instances and a rival scheduler, injects faults into the Berth"
            + " instances, and verifies the history of the API server.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
public final class HistoryMain implements Callable<Integer> {
  private static final int SHORTEST_SECONDS = 5;
  private static final Path FOLDER = Path.of("build", "history");

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "120",
      description = "Seconds during which faults are injected.")
  private int seconds;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description =
          "Seed for the faults and the pods. Default: the current time. The seed is printed.")
  private @Nullable Long seed;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "8",
      description = "Number of nodes, with four CPUs each.")
  private int nodes;

  @Option(
      names = "--pods-per-second",
      paramLabel = "N",
      defaultValue = "4",
      description = "Number of pods created per second.")
  private double podsPerSecond;

  @Option(
      names = "--check",
      paramLabel = "FILE",
      description = "Only verifies a recorded history again.")
  private @Nullable Path check;

  /** Exits with 0 if the history violates no rule, and with 1 if it does. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new HistoryMain()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    LogSetup.use(LogFormat.TEXT);
    PrintWriter out = spec.commandLine().getOut();
    if (check != null) {
      return judge(check, out);
    }
    if (seconds < SHORTEST_SECONDS || podsPerSecond <= 0 || nodes < 1) {
      throw new CommandLine.ParameterException(
          spec.commandLine(),
          "--seconds must be at least %d; --pods-per-second and --nodes must be greater than 0"
              .formatted(SHORTEST_SECONDS));
    }
    TrialReport report = run(out);
    out.print(report.text());
    out.flush();
    return report.violations().isEmpty() ? 0 : 1;
  }

  private TrialReport run(PrintWriter out)
      throws IOException, InterruptedException, GeneralSecurityException {
    if (RealApiServer.isGiven()) {
      try (RealApiServer server = RealApiServer.open()) {
        out.println("Using the API server at " + server.admin().getMasterUrl());
        return run(server.admin(), false, out);
      }
    }
    out.println("Using an embedded API server; set KUBECONFIG or KUBE_API_TEST_DIR to use another");
    try (LocalCluster cluster = LocalCluster.start(0, 0, KubeletOptions.immediate())) {
      return run(cluster.admin(), true, out);
    }
  }

  private TrialReport run(KubernetesClient admin, boolean kubelets, PrintWriter out)
      throws IOException, InterruptedException, GeneralSecurityException {
    InstantSource clock = InstantSource.system();
    long chosen = seed == null ? clock.millis() : seed;
    out.println("SEED=" + chosen);
    out.flush();
    TrialOptions options =
        new TrialOptions(
            Duration.ofSeconds(seconds),
            chosen,
            nodes,
            Duration.ofNanos(Math.round(TimeUnit.SECONDS.toNanos(1) / podsPerSecond)),
            HistoryCheck.PENDING_LIMIT,
            kubelets,
            FOLDER.resolve(Long.toString(chosen)).toAbsolutePath());
    return new Trial(
            admin,
            options,
            clock,
            line -> {
              out.println(line);
              out.flush();
            })
        .run();
  }

  private static int judge(Path file, PrintWriter out) throws IOException {
    List<Violation> violations =
        HistoryCheck.of(Trial.SCHEDULERS, HistoryCheck.PENDING_LIMIT)
            .violations(HistoryFile.read(file));
    violations.forEach(violation -> out.println(violation.text()));
    out.println(
        violations.isEmpty()
            ? "history: OK"
            : "history: %d violations".formatted(violations.size()));
    out.flush();
    return violations.isEmpty() ? 0 : 1;
  }
}

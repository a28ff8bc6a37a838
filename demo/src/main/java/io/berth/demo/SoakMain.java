package io.berth.demo;

import io.berth.demo.cluster.LocalCluster;
import io.berth.demo.cluster.RealApiServer;
import io.berth.demo.soak.Soak;
import io.berth.demo.soak.SoakOptions;
import io.berth.demo.soak.SoakReport;
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
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code make soak}: lets tenants and a nemesis work on three replicas of Berth. */
@Command(
    name = "make soak",
    description =
        "Runs three replicas of Berth with their webhook, lets the tenants of the simulation use"
            + " them, injects faults into them, and checks all the time what Berth promises.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
public final class SoakMain implements Callable<Integer> {
  private static final int SHORTEST_SECONDS = 10;
  private static final Path FOLDER = Path.of("build", "soak");

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "600",
      description = "Seconds during which tenants and faults are at work, without the rests.")
  private int seconds;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Seed of the tenants and the faults. Default: the current time.")
  private @Nullable Long seed;

  private SoakMain() {}

  /** Exits with 0 if nothing was violated, and with 1 otherwise. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new SoakMain()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    LogSetup.use(LogFormat.TEXT);
    PrintWriter out = spec.commandLine().getOut();
    if (seconds < SHORTEST_SECONDS) {
      throw new CommandLine.ParameterException(
          spec.commandLine(),
          "--seconds must be %d or more, and is %d".formatted(SHORTEST_SECONDS, seconds));
    }
    InstantSource clock = InstantSource.system();
    long chosen = seed == null ? clock.millis() : seed;
    print(out, "SEED=" + chosen);
    SoakReport report = run(out, clock, chosen);
    report.summary().forEach(line -> print(out, line));
    report.violations().forEach(line -> print(out, line));
    if (report.violations().isEmpty()) {
      print(out, "soak: OK");
      return 0;
    }
    print(
        out,
        "soak: %d violations; again: make soak SECONDS=%d SEED=%d"
            .formatted(report.violations().size(), seconds, chosen));
    return 1;
  }

  private SoakReport run(PrintWriter out, InstantSource clock, long chosen)
      throws IOException, InterruptedException, GeneralSecurityException {
    if (RealApiServer.isGiven()) {
      try (RealApiServer server = RealApiServer.open()) {
        print(out, "Using the API server at " + server.admin().getMasterUrl());
        return run(server.admin(), false, out, clock, chosen);
      }
    }
    print(out, "Using an embedded API server; set KUBECONFIG or KUBE_API_TEST_DIR to use another");
    try (LocalCluster cluster = LocalCluster.start(0, 0, KubeletOptions.immediate())) {
      return run(cluster.admin(), true, out, clock, chosen);
    }
  }

  private SoakReport run(
      KubernetesClient admin, boolean kubelets, PrintWriter out, InstantSource clock, long chosen)
      throws IOException, InterruptedException, GeneralSecurityException {
    SoakOptions options =
        new SoakOptions(
            Duration.ofSeconds(seconds),
            chosen,
            kubelets,
            FOLDER.resolve(Long.toString(chosen)).toAbsolutePath());
    return new Soak(admin, options, clock, line -> print(out, line)).run();
  }

  private static void print(PrintWriter out, String line) {
    out.println(line);
    out.flush();
  }
}

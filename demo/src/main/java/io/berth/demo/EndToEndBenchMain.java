package io.berth.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Installation;
import io.berth.demo.cluster.TargetCluster;
import io.berth.demo.load.LoadReport;
import io.berth.demo.load.SchedulerProcess;
import io.berth.demo.load.SchedulerRun;
import io.berth.operator.command.CompilerPriority;
import io.berth.operator.command.LogFormat;
import io.berth.operator.command.LogSetup;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code make bench-e2e}: measures the speed, the delays and the cost of a scheduler on a running
 * API server.
 */
@Command(
    name = "make bench-e2e",
    description =
        "Creates nodes and pods, starts a scheduler in a process of its own, and measures its rate,"
            + " how long pods wait, and its CPU time and memory.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
public final class EndToEndBenchMain implements Callable<Integer> {
  private static final String BERTH = "berth";
  private static final String BARE = "bare";
  private static final List<Integer> RATES = List.of(50, 200);
  private static final int MOST_CLAIMS = 128;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--nodes", defaultValue = "1000", description = "Number of nodes.")
  private int nodes;

  @Option(
      names = "--pods",
      defaultValue = "5000",
      description = "Number of pods that are pending at the start, and created at once at the end.")
  private int pods;

  @Option(
      names = "--seconds",
      defaultValue = "30",
      description = "How long pods are created at each of the steady rates, 50 and 200 per second.")
  private int seconds;

  @Option(
      names = "--claims",
      paramLabel = "N",
      arity = "0..1",
      defaultValue = "0",
      fallbackValue = "8",
      description =
          "Devices of each node (${FALLBACK-VALUE} if no number is given), and a resource claim of"
              + " its own for one device in each pod; 0 for neither. Needs resource.k8s.io/v1.")
  private int claims;

  @Option(
      names = "--scheduler",
      defaultValue = BERTH,
      description =
          "The schedulerName of the pods. berth is started automatically, as is bare: a client that"
              + " only writes the same Bindings and events.")
  private String scheduler = BERTH;

  @Option(
      names = "--start",
      paramLabel = "COMMAND",
      description =
          "Command that starts the scheduler once the pods are pending. Without it, you have to"
              + " start schedulers other than berth and bare yourself.")
  private @Nullable String start;

  @Option(names = "--jar", paramLabel = "FILE", description = "The berth.jar to measure.")
  private @Nullable Path jar;

  @Option(
      names = "--aot",
      paramLabel = "FILE",
      description = "The ahead-of-time cache for the jar, from make aot.")
  private @Nullable Path aot;

  @Option(
      names = "--logs",
      paramLabel = "DIR",
      defaultValue = "build/bench-e2e",
      description = "Folder for the logs of schedulers that are started automatically.")
  private Path logs = Path.of("build/bench-e2e");

  @Option(
      names = "--out",
      paramLabel = "FILE",
      defaultValue = "build/bench-e2e.json",
      description = "File to which the figures are written.")
  private Path json = Path.of("build/bench-e2e.json");

  /** Exits with 0 only if every pod was bound and its Scheduled event appeared within a minute. */
  public static void main(String[] arguments) {
    CompilerPriority.lower(); // leaves the processors to the scheduler that is measured
    System.exit(new CommandLine(new EndToEndBenchMain()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    LogSetup.use(LogFormat.TEXT);
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    if (nodes < 1 || pods < 1 || seconds < 1) {
      err.println("--nodes, --pods and --seconds must be at least 1");
      return 2;
    }
    SchedulerRun.Size size =
        new SchedulerRun.Size(nodes, pods, Duration.ofSeconds(seconds), RATES, claims);
    String problem = problemOfClaims(size);
    if (!problem.isEmpty()) {
      err.println(problem);
      return 2;
    }
    LoadReport report;
    try (TargetCluster cluster = TargetCluster.open(out)) {
      report = measure(cluster.admin(), size, out);
    }
    out.print(report.text());
    Files.createDirectories(json.toAbsolutePath().getParent());
    ObjectNode figures = report.json();
    if (claims > 0) {
      figures.put("devicesPerNode", claims);
    }
    new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(json.toFile(), figures);
    out.println("Written to " + json);
    out.flush();
    return report.complete() ? 0 : 1;
  }

  /** Returns why this run is not possible with claims; empty if it is. */
  private String problemOfClaims(SchedulerRun.Size size) {
    if (claims < 0 || claims > MOST_CLAIMS) {
      return "--claims must be from 0 to " + MOST_CLAIMS + ", the most devices of a ResourceSlice";
    }
    if (claims > 0 && scheduler.equals(BARE)) {
      return "--claims needs a scheduler that allocates devices, which bare does not";
    }
    if (claims > 0 && (long) nodes * claims < size.mostPods()) {
      return "%d nodes with %d devices are too few for %d pods at the same time"
          .formatted(nodes, claims, size.mostPods());
    }
    return "";
  }

  private LoadReport measure(KubernetesClient admin, SchedulerRun.Size size, PrintWriter out)
      throws Exception {
    SchedulerRun run = new SchedulerRun(admin, InstantSource.system());
    boolean installs = scheduler.equals(BERTH) || (scheduler.equals(BARE) && start == null);
    if (installs) {
      SchedulerProcess.installBerth(admin);
    }
    try {
      return run.measure(scheduler, size, start(admin, out));
    } finally {
      if (installs) {
        removeWebhooks(admin);
      }
    }
  }

  private SchedulerRun.Start start(KubernetesClient admin, PrintWriter out) {
    if (start != null) {
      return SchedulerProcess.command(start);
    }
    return switch (scheduler) {
      case BERTH ->
          SchedulerProcess.berth(
              admin,
              logs.toAbsolutePath(),
              new SchedulerProcess.Program(Optional.ofNullable(jar), Optional.ofNullable(aot)));
      case BARE -> SchedulerProcess.bareClient(admin, logs.toAbsolutePath());
      default -> SchedulerProcess.byUser(scheduler, out);
    };
  }

  /** Removes the webhook configurations, which would otherwise outlive the run. */
  private static void removeWebhooks(KubernetesClient admin) {
    var admission = admin.admissionRegistration().v1();
    admission.mutatingWebhookConfigurations().withName(Installation.WEBHOOK_CONFIGURATION).delete();
    admission
        .validatingWebhookConfigurations()
        .withName(Installation.WEBHOOK_CONFIGURATION)
        .delete();
  }
}

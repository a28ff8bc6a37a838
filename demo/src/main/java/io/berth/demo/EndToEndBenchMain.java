package io.berth.demo;

import io.berth.crds.Installation;
import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.TargetCluster;
import io.berth.demo.load.ForeignScheduler;
import io.berth.demo.load.LoadReport;
import io.berth.demo.load.SchedulerRun;
import io.berth.operator.BerthOptions;
import io.berth.operator.command.CompilerPriority;
import io.berth.operator.command.LogFormat;
import io.berth.operator.command.LogSetup;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code make bench-e2e}: measures the bindings per second of a scheduler on a running API server.
 */
@Command(
    name = "make bench-e2e",
    description =
        "Creates nodes and pods, starts a scheduler, and measures the time to the last binding.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
public final class EndToEndBenchMain implements Callable<Integer> {
  private static final String BERTH = "berth";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--nodes", defaultValue = "1000", description = "Number of nodes.")
  private int nodes;

  @Option(names = "--pods", defaultValue = "10000", description = "Number of pending pods.")
  private int pods;

  @Option(
      names = "--scheduler",
      defaultValue = BERTH,
      description = "The schedulerName of the pods. Only berth is started automatically.")
  private String scheduler = BERTH;

  @Option(
      names = "--start",
      paramLabel = "COMMAND",
      description =
          "Command that starts the scheduler once the pods are pending. Without it, Berth is"
              + " started in this process; you have to start any other scheduler yourself.")
  private @Nullable String start;

  /** Exits with 0 only if every pod was bound and its Scheduled event appeared within a minute. */
  public static void main(String[] arguments) {
    CompilerPriority.lower(); // leaves the processors to the scheduler that is measured
    System.exit(new CommandLine(new EndToEndBenchMain()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    LogSetup.use(LogFormat.TEXT);
    PrintWriter out = spec.commandLine().getOut();
    LoadReport report;
    try (TargetCluster cluster = TargetCluster.open(out)) {
      report = measure(cluster.admin(), out);
    }
    out.print(report.text());
    out.flush();
    return report.complete() ? 0 : 1;
  }

  private LoadReport measure(KubernetesClient admin, PrintWriter out) throws Exception {
    InstantSource clock = InstantSource.system();
    SchedulerRun run = new SchedulerRun(admin, clock);
    boolean berth = scheduler.equals(BERTH);
    if (berth && start == null) {
      return run.measure(scheduler, nodes, pods, () -> startBerth(admin));
    }
    if (berth) {
      BerthInstallation.install(admin, Checkout.find());
    }
    try {
      return run.measure(
          scheduler, nodes, pods, new ForeignScheduler(scheduler, Optional.ofNullable(start), out));
    } finally {
      if (berth) {
        removeWebhooks(admin);
      }
    }
  }

  private static void endBerth(KubernetesClient admin, BerthInstallation berth) {
    berth.close();
    removeWebhooks(admin);
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

  /** Starts Berth, which leads as soon as it has listed the cluster. All pods exist by then. */
  private static SchedulerRun.Running startBerth(KubernetesClient admin)
      throws IOException, InterruptedException {
    Instant launched = Instant.now();
    BerthInstallation berth =
        BerthInstallation.start(
            admin, Checkout.find(), BerthOptions.local("make-bench-e2e").withHttp(0, true));
    return new SchedulerRun.Running(
        launched, berth.berth().leadingSince().orElseThrow(), () -> endBerth(admin, berth));
  }
}

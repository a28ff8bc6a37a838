package io.berth.demo;

import io.berth.crds.Installation;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulingPolicy;
import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.LocalCluster;
import io.berth.demo.upstream.SuiteReport;
import io.berth.operator.Berth;
import io.berth.operator.BerthOptions;
import io.berth.operator.command.LogFormat;
import io.berth.operator.command.LogSetup;
import io.berth.sandbox.kubelet.KubeletOptions;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code make test-upstream}: runs the end-to-end tests of Kubernetes on an embedded cluster. */
@Command(
    name = "make test-upstream",
    description =
        "Runs Kubernetes' e2e.test against an embedded cluster whose pods are placed by Berth.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
public final class UpstreamMain implements Callable<Integer> {
  private static final String DEFAULT_SCHEDULER = "default-scheduler";
  private static final String PLAIN_POLICY =
      """
      apiVersion: sched.cloud.ctrip.com/v1
      kind: SchedulingPolicy
      metadata: {name: kube-scheduler}
      spec: {}
      """;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--e2e", required = true, description = "The e2e.test binary.")
  private Path binary = Path.of("e2e.test");

  @Option(
      names = "--focus",
      paramLabel = "REGEX",
      defaultValue = "\\[sig-scheduling\\]",
      description = "Specs to run, by their full name.")
  private String focus = "";

  @Option(
      names = "--skip",
      paramLabel = "REGEX",
      defaultValue = "\\[Alpha\\]|OffByDefault",
      description = "Specs to skip, by their full name.")
  private String skip = "";

  @Option(
      names = "--scheduler",
      paramLabel = "NAME",
      defaultValue = "berth",
      description =
          "berth: as installed by default, with a binding that assigns an empty policy to every"
              + " pod, and a second scheduler for the pods that Berth ignores;"
              + " default-scheduler: in place of kube-scheduler, without a binding.")
  private String scheduler = "";

  /**
   * Few nodes, because a preemption spec polls 15 pods per node at one second each, while its
   * victims run for only 79 s.
   */
  @Option(names = "--nodes", paramLabel = "N", defaultValue = "4", description = "Number of nodes.")
  private int nodes;

  @Option(
      names = "--report",
      paramLabel = "FOLDER",
      defaultValue = "build/upstream",
      description = "Folder for the log of the suite, its JUnit report, and the kubeconfig.")
  private Path folder = Path.of("build/upstream");

  /** Exits with 0 only if at least one spec ran and all specs that ran passed. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new UpstreamMain()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    if (!Files.isExecutable(binary)) {
      out.println(
          binary
              + " is not an executable file; specify the e2e.test binary of a Kubernetes release");
      out.flush();
      return 2;
    }
    LogSetup.use(LogFormat.TEXT);
    Files.createDirectories(folder);
    Path report = folder.resolve("junit.xml").toAbsolutePath();
    Files.deleteIfExists(report);
    try (LocalCluster cluster = LocalCluster.start(0, nodes, KubeletOptions.lifelike());
        BerthInstallation berth =
            BerthInstallation.start(
                cluster.admin(),
                Checkout.find(),
                BerthOptions.local("make-test-upstream")
                    .withSchedulerNames(scheduler)
                    .withHttp(0, true));
        Closeable _ = clusterScheduler(cluster)) {
      if (!scheduler.equals(DEFAULT_SCHEDULER)) {
        bindEveryPod(cluster.admin());
      }
      Path kubeconfig = folder.resolve("kubeconfig").toAbsolutePath();
      cluster.sandbox().writeKubeconfig(kubeconfig);
      out.println("Berth has been leading since " + berth.berth().leadingSince().orElseThrow());
      out.println("The suite writes to " + folder.resolve("suite.log"));
      out.flush();
      run(kubeconfig, report);
    }
    if (!Files.exists(report)) {
      out.println("e2e.test ended without a report; see " + folder.resolve("suite.log"));
      out.flush();
      return 1;
    }
    SuiteReport results = SuiteReport.read(report);
    out.print(results.text());
    out.flush();
    return results.good() ? 0 : 1;
  }

  /**
   * Starts a second engine in place of kube-scheduler, for example for the pods in kube-system,
   * unless Berth itself takes that place.
   */
  private Closeable clusterScheduler(LocalCluster cluster)
      throws IOException, InterruptedException {
    if (scheduler.equals(DEFAULT_SCHEDULER)) {
      return () -> {};
    }
    Berth own =
        Berth.start(
            BerthOptions.local("kube-scheduler").withSchedulerNames(DEFAULT_SCHEDULER),
            cluster.admin());
    return own::close;
  }

  private static void bindEveryPod(KubernetesClient admin) {
    admin
        .resource(Serialization.unmarshal(PLAIN_POLICY, SchedulingPolicy.class))
        .createOr(existing -> existing.update());
    admin
        .resource(
            Serialization.unmarshal(
                """
                apiVersion: sched.cloud.ctrip.com/v1
                kind: SchedulerConfigBinding
                metadata: {name: every-pod, namespace: %s}
                spec:
                  namespaceSelector: {}
                  podSelector: {}
                  schedulingPolicy: kube-scheduler
                """
                    .formatted(Installation.NAMESPACE),
                SchedulerConfigBinding.class))
        .createOr(existing -> existing.update());
  }

  /** Runs the suite to completion. The result is taken from its report, not from its exit code. */
  private void run(Path kubeconfig, Path report) throws IOException, InterruptedException {
    Process suite =
        new ProcessBuilder(
                List.of(
                    binary.toAbsolutePath().toString(),
                    "--kubeconfig=" + kubeconfig,
                    "--provider=local",
                    "--allowed-not-ready-nodes=-1",
                    "--minStartupPods=0",
                    "--dump-logs-on-failure=false",
                    "--ginkgo.focus=" + focus,
                    "--ginkgo.skip=" + skip,
                    "--ginkgo.no-color",
                    "--ginkgo.v",
                    "--ginkgo.timeout=6h",
                    "--ginkgo.junit-report=" + report))
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("suite.log").toFile())
            .start();
    try {
      suite.waitFor();
    } finally {
      suite.destroy();
    }
  }
}

package io.berth.demo;

import io.berth.demo.cluster.TargetCluster;
import io.berth.demo.failover.Failover;
import io.berth.operator.command.LogFormat;
import io.berth.operator.command.LogSetup;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
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
 * {@code make bench-failover}: measures how long pods wait when the leader is killed or restarted.
 */
@Command(
    name = "make bench-failover",
    description =
        "Runs two replicas, kills the leader, and then restarts the next leader, with pods"
            + " pending.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
public final class FailoverBenchMain implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--nodes", defaultValue = "1000", description = "Number of nodes.")
  private int nodes;

  @Option(names = "--pods", defaultValue = "2000", description = "Number of pods.")
  private int pods;

  @Option(
      names = "--settle",
      defaultValue = "20",
      description = "Seconds that the replicas run before the leader is stopped.")
  private int settleSeconds;

  @Option(names = "--logs", defaultValue = "build/failover", description = "Folder for the logs.")
  private Path logs = Path.of("build/failover");

  @Option(
      names = "--jvm-option",
      defaultValue = "-Xmx700m",
      description = "Option for the replicas' JVMs. May be repeated.")
  private List<String> jvmOptions = List.of();

  @Option(
      names = "--jar",
      paramLabel = "FILE",
      description = "The berth.jar that the replicas run. Default: the classes of this process.")
  private @Nullable Path jar;

  @Option(
      names = "--run-option",
      paramLabel = "OPTION",
      description = "Additional option for berth run, such as --no-warm-up. May be repeated.")
  private List<String> runOptions = List.of();

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new FailoverBenchMain()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    LogSetup.use(LogFormat.TEXT);
    PrintWriter out = spec.commandLine().getOut();
    try (TargetCluster cluster = TargetCluster.open(out)) {
      new Failover(
              cluster.admin(),
              logs.toAbsolutePath(),
              new Failover.Replicas(Optional.ofNullable(jar), jvmOptions, runOptions))
          .run(
              nodes,
              pods,
              Duration.ofSeconds(settleSeconds),
              report -> {
                out.println(report.text());
                out.flush();
              });
    }
    return 0;
  }
}

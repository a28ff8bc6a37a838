package io.berth.demo;

import io.berth.demo.aot.AotTraining;
import io.berth.operator.command.LogFormat;
import io.berth.operator.command.LogSetup;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code make aot}: creates the ahead-of-time cache for berth.jar, which makes it start faster. */
@Command(
    name = "make aot",
    description =
        "Runs berth.jar once on an embedded cluster and writes an ahead-of-time cache for the JVM.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
public final class AotMain implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--jar",
      defaultValue = "operator/target/berth.jar",
      description = "The jar file.")
  private Path jar = Path.of("operator/target/berth.jar");

  @Option(
      names = "--out",
      defaultValue = "operator/target/berth.aot",
      description = "The cache file. It is valid only for this jar and this build of the JVM.")
  private Path out = Path.of("operator/target/berth.aot");

  @Option(names = "--nodes", defaultValue = "200", description = "Number of nodes.")
  private int nodes;

  @Option(names = "--pods", defaultValue = "2000", description = "Number of pods per round.")
  private int pods;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new AotMain()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    LogSetup.use(LogFormat.TEXT);
    PrintWriter console = spec.commandLine().getOut();
    if (!Files.isRegularFile(jar)) {
      spec.commandLine().getErr().println("aot: " + jar + " does not exist: run make jar first");
      return 2;
    }
    new AotTraining(
            jar.toAbsolutePath(), out.toAbsolutePath(), out.toAbsolutePath().resolveSibling("aot"))
        .run(nodes, pods);
    console.printf("%s: %d MiB%n", out, Files.size(out) >> 20);
    console.flush();
    return 0;
  }
}

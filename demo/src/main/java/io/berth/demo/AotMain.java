package io.berth.demo;

import io.berth.demo.aot.AotTraining;
import io.berth.demo.cluster.BerthProcess;
import io.berth.operator.command.LogFormat;
import io.berth.operator.command.LogSetup;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
 * {@code make aot} and {@code make image}: creates the ahead-of-time cache for berth.jar, or for
 * the classes of the container image, which makes them start faster.
 */
@Command(
    name = "make aot",
    description =
        "Runs Berth once on an embedded cluster and writes an ahead-of-time cache for the JVM.",
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
      names = "--class-path",
      paramLabel = "<jars>",
      description = "The jar files to run instead, in the order in which Berth will be started.")
  private @Nullable String classPath;

  @Option(
      names = "--java",
      description = "The java command of the JVM that will use the cache. Default: that of make.")
  private Path java = BerthProcess.ownJava();

  @Option(
      names = "--out",
      defaultValue = "operator/target/berth.aot",
      description = "The cache file. It is valid only for these jars and this build of the JVM.")
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
    if (classPath == null && !Files.isRegularFile(jar)) {
      spec.commandLine().getErr().println("aot: " + jar + " does not exist: run make jar first");
      return 2;
    }
    new AotTraining(
            java.toAbsolutePath(),
            classPath == null ? BerthProcess.program(Optional.of(jar)) : ofImage(classPath),
            out.toAbsolutePath(),
            out.toAbsolutePath().resolveSibling("aot"))
        .run(nodes, pods);
    console.printf("%s: %d MiB%n", out, Files.size(out) >> 20);
    console.flush();
    return 0;
  }

  /** Returns the program of the image, whose option for native access is not in a manifest. */
  private static List<String> ofImage(String classPath) {
    List<String> program = new ArrayList<>();
    program.add("--enable-native-access=ALL-UNNAMED");
    program.addAll(BerthProcess.program(classPath));
    return program;
  }
}

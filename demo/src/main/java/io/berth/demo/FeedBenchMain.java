package io.berth.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.berth.demo.feed.FeedBench;
import io.berth.demo.feed.FeedReport;
import io.berth.operator.command.LogFormat;
import io.berth.operator.command.LogSetup;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code make bench-feed}: measures the memory and the time to become leader on a full cluster. */
@Command(
    name = "make bench-feed",
    description = "Starts a replica on an embedded API server with many nodes and bound pods.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
public final class FeedBenchMain implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--nodes", defaultValue = "5000", description = "Number of nodes.")
  private int nodes;

  @Option(
      names = "--pods",
      defaultValue = "-1",
      description = "Number of bound pods. Default: 30 per node.",
      showDefaultValue = CommandLine.Help.Visibility.NEVER)
  private int pods;

  @Option(
      names = "--out",
      defaultValue = "build/bench-feed.json",
      description = "The JSON file to write.")
  private Path out = Path.of("build/bench-feed.json");

  @Option(
      names = "--jvm-option",
      defaultValue = "-Xmx4g",
      description = "Option for the replica's JVM. May be repeated.")
  private List<String> jvmOptions = List.of();

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new FeedBenchMain()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    LogSetup.use(LogFormat.TEXT);
    Path file = out.toAbsolutePath();
    Files.createDirectories(file.getParent());
    FeedReport report =
        new FeedBench(file.resolveSibling("feed"), jvmOptions)
            .run(nodes, pods < 0 ? 30 * nodes : pods);
    PrintWriter console = spec.commandLine().getOut();
    console.print(report.text());
    console.flush();
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(file.toFile(), Map.of(report.name(), report.figures()));
    return 0;
  }
}

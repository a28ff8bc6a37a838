package io.berth.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.berth.demo.load.RecordingLoad;
import io.berth.demo.load.RecordingLoad.Run;
import io.berth.operator.command.LogFormat;
import io.berth.operator.command.LogSetup;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code make bench-recording}: measures the cost of recording the engine. */
@Command(
    name = "make bench-recording",
    description =
        "Places pods in an engine, alternately with and without a recorder, and compares the"
            + " rates.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
public final class RecordingBenchMain implements Callable<Integer> {
  private static final double PERCENT = 100;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--nodes", defaultValue = "1000", description = "Number of nodes.")
  private int nodes;

  @Option(names = "--pods", defaultValue = "60000", description = "Number of pods in each run.")
  private int pods;

  @Option(names = "--rounds", defaultValue = "15", description = "Number of pairs of runs.")
  private int rounds;

  @Option(
      names = "--out",
      defaultValue = "build/bench-recording.json",
      description = "The JSON file to write.")
  private Path out = Path.of("build/bench-recording.json");

  private RecordingBenchMain() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new RecordingBenchMain()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    LogSetup.use(LogFormat.TEXT);
    Path file = out.toAbsolutePath();
    Files.createDirectories(file.getParent());
    Path directory = Files.createTempDirectory(file.getParent(), "recording");
    PrintWriter console = spec.commandLine().getOut();
    RecordingLoad load = new RecordingLoad(nodes, pods, directory);
    load.run(false); // both are compiled before they are measured
    List<Run> plain = new ArrayList<>();
    List<Run> recorded = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      plain.add(load.run(false));
      recorded.add(load.run(true));
      console.println(text(plain.getLast(), recorded.getLast()));
      console.flush();
    }
    double rate = median(plain, Run::podsPerSecond);
    double cpu = median(plain, Run::cpuMicrosPerPod);
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("podsPerSecond", rate);
    figures.put("podsPerSecondRecorded", median(recorded, Run::podsPerSecond));
    figures.put("costPercent", PERCENT * (1 - median(recorded, Run::podsPerSecond) / rate));
    figures.put("engineCpuMicrosPerPod", cpu);
    figures.put("engineCpuMicrosPerPodRecorded", median(recorded, Run::cpuMicrosPerPod));
    figures.put(
        "engineCpuCostPercent", PERCENT * (median(recorded, Run::cpuMicrosPerPod) / cpu - 1));
    figures.put("bytesPerPod", median(recorded, Run::bytesPerPod));
    figures.put("gaps", recorded.stream().mapToInt(Run::gaps).sum());
    figures.forEach((name, figure) -> console.println(name + " " + figure));
    console.flush();
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(file.toFile(), Map.of("Recording-" + nodes, figures));
    return 0;
  }

  private static String text(Run without, Run with) {
    return "%,.0f pods/s and %.1f us of CPU per pod, recorded %,.0f pods/s and %.1f us"
        .formatted(
            without.podsPerSecond(),
            without.cpuMicrosPerPod(),
            with.podsPerSecond(),
            with.cpuMicrosPerPod());
  }

  private static double median(List<Run> runs, ToDoubleFunction<Run> figure) {
    double[] sorted = runs.stream().mapToDouble(figure).sorted().toArray();
    return sorted[sorted.length / 2];
  }
}

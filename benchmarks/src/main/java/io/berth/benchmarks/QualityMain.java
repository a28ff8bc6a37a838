package io.berth.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.benchmarks.quality.Quality;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Measures how well policies use the capacity of a cluster: {@code QualityMain [--out FILE]
 * [--plots FOLDER] [--seed NUMBER]}. Prints the figures, and writes them as JSON and as SVG plots.
 * The figures depend only on the seed, not on the machine.
 */
public final class QualityMain {
  private QualityMain() {}

  public static void main(String[] args) throws IOException {
    Path out = Path.of(option(args, "--out", "build/bench-quality.json"));
    Path plots = Path.of(option(args, "--plots", "build"));
    Quality quality = Quality.measure(Long.parseLong(option(args, "--seed", "1")));
    quality.lines().forEach(System.out::println);
    Files.createDirectories(out.toAbsolutePath().getParent());
    Files.writeString(
        out,
        new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(quality.figures())
            + "\n");
    Files.createDirectories(plots);
    for (Map.Entry<String, String> plot : quality.plots().entrySet()) {
      Files.writeString(plots.resolve(plot.getKey()), plot.getValue());
    }
  }

  private static String option(String[] args, String name, String otherwise) {
    for (int i = 0; i + 1 < args.length; i++) {
      if (args[i].equals(name)) {
        return args[i + 1];
      }
    }
    return otherwise;
  }
}

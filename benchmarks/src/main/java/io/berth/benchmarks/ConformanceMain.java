package io.berth.benchmarks;

import io.berth.benchmarks.conformance.Conformance;
import io.berth.benchmarks.conformance.VectorFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Compares the engine with recorded results of kube-scheduler: {@code ConformanceMain FILE}. The
 * last line of the output is {@code conformance: PASSED/TOTAL}. The exit code is 0 if all vectors
 * passed, 1 if not or if there are none, and 2 if the file cannot be read or is not specified.
 */
public final class ConformanceMain {
  private static final int SHOWN_VECTORS = 10;
  private static final int SHOWN_DIFFERENCES = 5;

  private ConformanceMain() {}

  public static void main(String[] args) {
    System.exit(run(args, System.out));
  }

  static int run(String[] args, PrintStream out) {
    if (args.length != 1) {
      out.println("conformance: specify one file of vectors (JSON lines, gzipped or plain)");
      return 2;
    }
    Conformance conformance = Conformance.onFreshEngines();
    try (InputStream file = Files.newInputStream(Path.of(args[0]))) {
      VectorFile.forEach(file, vector -> show(conformance, conformance.check(vector), out));
    } catch (IOException | UncheckedIOException e) {
      out.println("conformance: cannot read " + args[0] + ": " + e.getMessage());
      return 2;
    }
    conformance
        .byFlavour()
        .forEach((flavour, counts) -> out.printf("  %-16s %s%n", flavour, counts));
    long passed = conformance.passed();
    int total = conformance.results().size();
    out.println("conformance: " + passed + "/" + total);
    return passed == total && total > 0 ? 0 : 1;
  }

  private static void show(Conformance conformance, Conformance.Result result, PrintStream out) {
    long failed = conformance.results().size() - conformance.passed();
    if (result.passed() || failed > SHOWN_VECTORS) {
      return;
    }
    out.println(result.name() + ": " + result.differences().size() + " differences");
    result.differences().stream()
        .limit(SHOWN_DIFFERENCES)
        .forEach(difference -> out.println("  " + difference));
  }
}

package io.berth.operator.command;

import io.berth.operator.offline.ReviewResult;
import io.berth.operator.offline.UnreadableFileException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code berth check}: checks objects in files, with the messages of the webhook. */
@Command(
    name = "check",
    description = {
      "Checks configs, policies, bindings, pods and workloads in files, without a cluster.",
      "Objects can refer to each other. Prints the messages that the webhook would return."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all objects would be accepted",
      "1:an object would be rejected",
      "2:wrong usage, or a file cannot be read"
    })
public final class CheckCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ManifestOptions manifests = new ManifestOptions();

  @Option(names = "--strict", description = "Treat warnings as rejections.")
  private boolean strict;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    List<ReviewResult> results;
    try {
      results = manifests.review().reviewAll();
    } catch (UnreadableFileException e) {
      spec.commandLine().getErr().println("berth: " + e.getMessage());
      return 2;
    }
    results.forEach(result -> print(result, out));
    long refused = results.stream().filter(each -> !each.isAccepted()).count();
    int warnings = results.stream().mapToInt(each -> each.warnings().size()).sum();
    out.printf("%d objects checked: %d rejected, %d warnings%n", results.size(), refused, warnings);
    return refused > 0 || (strict && warnings > 0) ? 1 : 0;
  }

  static void print(ReviewResult result, PrintWriter out) {
    String label = result.manifest().label();
    result.problems().forEach(problem -> out.println(label + ": " + problem));
    result.warnings().forEach(warning -> out.println(label + ": warning: " + warning));
  }
}

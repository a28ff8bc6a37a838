package io.berth.operator.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.Annotations;
import io.berth.crds.SchedulerNames;
import io.berth.operator.convert.Conversion;
import io.berth.operator.convert.ConvertedPolicy;
import io.berth.operator.convert.SchedulerFile;
import io.berth.operator.convert.UnconvertibleFileException;
import io.berth.operator.offline.ManifestFiles;
import io.berth.operator.offline.UnreadableFileException;
import io.berth.webhook.error.ObjectNames;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code berth convert}: converts a kube-scheduler configuration file to SchedulingPolicies. */
@Command(
    name = "convert",
    description = {
      "Converts a KubeSchedulerConfiguration, or a Policy file of kube-scheduler before 1.23, to"
          + " SchedulingPolicies on standard output.",
      "Settings without an equivalent in Berth are listed in comments above them."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the policies are equivalent to the file",
      "1:a setting has no equivalent: see the comments",
      "2:wrong usage, or the file cannot be read or has another kind"
    })
public final class ConvertCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "FILE", description = "The file to convert, YAML or JSON.")
  private Path file = Path.of("");

  @Option(
      names = "--name",
      paramLabel = "NAME",
      defaultValue = "converted",
      description =
          "Name of the policy for a Policy file; policies for profiles are named after their"
              + " schedulerName.")
  private String name = "converted";

  @Override
  public Integer call() {
    if (!ObjectNames.isValid(name)) {
      return refuse(
          "--name \"%s\" cannot be the name of a policy: %s".formatted(name, ObjectNames.RULE));
    }
    try {
      List<JsonNode> documents = ManifestFiles.documents(file.toString(), ManifestFiles.text(file));
      if (documents.size() != 1) {
        throw new UnreadableFileException(
            "%s: it has %d documents; give a file with one".formatted(file, documents.size()));
      }
      Conversion conversion = SchedulerFile.convert(documents.getFirst(), name);
      print(conversion);
      return conversion.isComplete() ? 0 : 1;
    } catch (UnreadableFileException e) {
      return refuse(e.getMessage());
    } catch (UnconvertibleFileException e) {
      return refuse(file + " cannot be converted: " + e.getMessage());
    }
  }

  private int refuse(String message) {
    spec.commandLine().getErr().println("berth: " + message);
    return 2;
  }

  private void print(Conversion conversion) {
    PrintWriter out = spec.commandLine().getOut();
    out.println("# Converted from " + file.getFileName() + " by `berth convert`.");
    comment(out, "Without equivalent in Berth:", conversion.lost());
    comment(out, "Not part of a policy:", conversion.notes());
    for (ConvertedPolicy policy : conversion.policies()) {
      out.println("---");
      out.printf(
          "# For pods with schedulerName %s and the annotation %s: %s%n",
          SchedulerNames.BERTH, Annotations.POLICY, policy.name());
      out.print(RenderCommand.yaml(policy.manifest()).replaceFirst("^---\n", ""));
    }
    out.flush();
  }

  private static void comment(PrintWriter out, String heading, List<String> lines) {
    if (!lines.isEmpty()) {
      out.println("#");
      out.println("# " + heading);
      lines.forEach(line -> out.println("# - " + line.replace("\n", "\n#   ")));
    }
  }
}

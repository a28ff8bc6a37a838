package io.berth.operator.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.operator.convert.Conversion;
import io.berth.operator.convert.ConvertedObject;
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

/** {@code berth convert}: converts the configuration file of another scheduler. */
@Command(
    name = "convert",
    description = {
      "Converts a KubeSchedulerConfiguration, or a Policy file of kube-scheduler before 1.23, to"
          + " SchedulingPolicies on standard output; or the queues.yaml of YuniKorn, also inside"
          + " its ConfigMap, to SchedulingQueues.",
      "Settings without an equivalent in Berth are listed in comments above them."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the objects are equivalent to the file",
      "1:a setting has no equivalent: see the comments",
      "2:wrong usage, or the file cannot be read or has another kind"
    })
public final class ConvertCommand implements Callable<Integer> {

  private static final String YUNIKORN_KEY = "queues.yaml";

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
      Conversion conversion = SchedulerFile.convert(unwrapped(documents.getFirst()), name);
      print(conversion);
      return conversion.isComplete() ? 0 : 1;
    } catch (UnreadableFileException e) {
      return refuse(e.getMessage());
    } catch (UnconvertibleFileException e) {
      return refuse(file + " cannot be converted: " + e.getMessage());
    }
  }

  /** Returns the queues.yaml in YuniKorn's ConfigMap; any other document as it is. */
  private JsonNode unwrapped(JsonNode document) throws UnreadableFileException {
    JsonNode queues = document.path("data").path(YUNIKORN_KEY);
    if (!document.path("kind").asText("").equals("ConfigMap") || !queues.isTextual()) {
      return document;
    }
    List<JsonNode> inside =
        ManifestFiles.documents(file + ", data." + YUNIKORN_KEY, queues.textValue());
    if (inside.size() != 1) {
      throw new UnreadableFileException(
          "%s: data.%s has %d documents; give one".formatted(file, YUNIKORN_KEY, inside.size()));
    }
    return inside.getFirst();
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
    for (ConvertedObject object : conversion.objects()) {
      out.println("---");
      out.println("# " + object.use());
      out.print(RenderCommand.yaml(object.manifest()).replaceFirst("^---\n", ""));
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

package io.berth.operator.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.operator.offline.ReviewResult;
import io.berth.operator.offline.UnreadableFileException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code berth render}: prints pods from files as the webhook would render them. */
@Command(
    name = "render",
    description = {
      "Prints the pods in files, and the pods that workloads in them would create, as the webhook"
          + " would change them.",
      "Needs no cluster: configs, policies, bindings and namespaces are read from the files."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all pods are printed",
      "1:a pod would be denied, or another object rejected",
      "2:wrong usage, or a file cannot be read, or there is no pod in them"
    })
public final class RenderCommand implements Callable<Integer> {

  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
          .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
          .build();

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ManifestOptions manifests = new ManifestOptions();

  @Override
  public Integer call() {
    PrintWriter err = spec.commandLine().getErr();
    List<ReviewResult> results;
    try {
      results = manifests.review().reviewAll();
    } catch (UnreadableFileException e) {
      err.println("berth: " + e.getMessage());
      return 2;
    }
    results.forEach(result -> CheckCommand.print(result, err));
    List<JsonNode> pods = results.stream().flatMap(each -> each.pods().stream()).toList();
    pods.forEach(pod -> spec.commandLine().getOut().print(yaml(pod)));
    spec.commandLine().getOut().flush();
    if (!results.stream().allMatch(ReviewResult::isAccepted)) {
      return 1;
    }
    if (pods.isEmpty()) {
      err.println(
          "berth: these files contain no pods: add pods or workloads, and the objects that bind"
              + " them");
      return 2;
    }
    return 0;
  }

  static String yaml(JsonNode object) {
    try {
      return YAML.writeValueAsString(object);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }
}

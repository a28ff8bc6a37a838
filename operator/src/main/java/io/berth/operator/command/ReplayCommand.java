package io.berth.operator.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ShadowDecision;
import io.berth.engine.api.ShadowDecision.Result;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.engine.policy.PolicyProblem;
import io.berth.operator.offline.ManifestFiles;
import io.berth.operator.offline.UnreadableFileException;
import io.berth.operator.recording.PolicyComparison;
import io.berth.operator.recording.RecordingFiles;
import io.berth.operator.recording.RenamedCopy;
import io.berth.operator.recording.Replay;
import io.berth.operator.recording.ReplayReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code berth replay}: replays a recording, and tries other policies on it. */
@Command(
    name = "replay",
    description = {
      "Replays a recording that `run --record` made: a new engine is given the same events at the"
          + " same times, and has to decide the same.",
      "With --policy, says what another policy would have decided for each pod."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all decisions are as recorded",
      "1:a decision differs from the recording",
      "2:wrong usage, or a file cannot be read",
      "3:by the policies of --policy, pods would have fitted nowhere, evicted others, or could not"
          + " be tried"
    })
public final class ReplayCommand implements Callable<Integer> {
  private static final int DIFFERS = 1;
  private static final int UNUSABLE = 2;
  private static final int WORSE = 3;

  /** The format of the output. */
  enum Output {
    TEXT,
    JSON
  }

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "DIR",
      description = "The directory of the recording, or one of its files.")
  private Path recording = Path.of("");

  @Option(
      names = "--policy",
      paramLabel = "NAME=FILE",
      description =
          "Try the SchedulingPolicy in this file in place of the recorded one. Repeat the option"
              + " for several policies.")
  private Map<String, Path> policies = new LinkedHashMap<>();

  @Option(
      names = "--rename",
      paramLabel = "OUT",
      description =
          "Instead of replaying, write a copy into this directory in which the names of pods,"
              + " nodes, namespaces, workloads, groups, and claims are replaced.")
  private @Nullable Path renamed;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "text or json.")
  private Output output = Output.TEXT;

  @Override
  public Integer call() {
    try {
      List<Path> files = files();
      if (renamed != null) {
        return copy(files, renamed);
      }
      Map<String, CompiledPolicy> tried = new LinkedHashMap<>();
      for (Map.Entry<String, Path> policy : policies.entrySet()) {
        tried.put(policy.getKey(), compiled(policy.getKey(), policy.getValue()));
      }
      Replay replay = new Replay(tried);
      ReplayReport report = replay.run(files, UnaryOperator.identity());
      if (report.difference().isEmpty() && !replay.unknown().isEmpty()) {
        throw new IOException(
            "--policy %s: the recording has no policy of this name"
                .formatted(String.join(", ", replay.unknown())));
      }
      return print(report);
    } catch (UnreadableFileException | IOException e) {
      spec.commandLine().getErr().println("berth: " + e.getMessage());
      return UNUSABLE;
    }
  }

  private List<Path> files() throws IOException {
    if (!Files.exists(recording)) {
      throw new IOException(recording + " does not exist");
    }
    List<Path> files =
        Files.isDirectory(recording) ? RecordingFiles.in(recording) : List.of(recording);
    if (files.isEmpty()) {
      throw new IOException(
          recording + " has no recording: its files are named berth-NUMBER.recording");
    }
    return files;
  }

  private int copy(List<Path> files, Path directory) throws IOException {
    RenamedCopy.Result result = RenamedCopy.write(files, directory);
    PrintWriter out = spec.commandLine().getOut();
    out.printf("%,d names replaced in %d files in %s%n", result.names(), files.size(), directory);
    if (result.differences() > 0) {
      out.printf(
          "%,d decisions of the copy are about other pods or nodes than in the original%n",
          result.differences());
    }
    out.flush();
    return 0;
  }

  private static CompiledPolicy compiled(String name, Path file)
      throws UnreadableFileException, IOException {
    List<JsonNode> documents = ManifestFiles.documents(file.toString(), ManifestFiles.text(file));
    List<JsonNode> found =
        documents.stream()
            .filter(document -> document.path("kind").asText("").equals("SchedulingPolicy"))
            .toList();
    if (found.size() != 1) {
      throw new UnreadableFileException(
          "%s: it has %d SchedulingPolicies; give a file with one".formatted(file, found.size()));
    }
    JsonNode given = found.getFirst().path("spec");
    if (!given.isObject()) {
      throw new UnreadableFileException(file + ": spec is missing");
    }
    SchedulingPolicySpec read;
    try {
      read = new ObjectMapper().convertValue(given, SchedulingPolicySpec.class);
    } catch (IllegalArgumentException e) {
      throw new UnreadableFileException(file + ": spec cannot be read: " + e.getMessage());
    }
    return switch (new PolicyCompiler().compile(name, "tried", read)) {
      case PolicyCompilation.Compiled(CompiledPolicy policy) -> policy;
      case PolicyCompilation.Invalid(List<PolicyProblem> problems) ->
          throw new UnreadableFileException(
              file
                  + ": "
                  + problems.stream()
                      .map(problem -> problem.path() + " " + problem.message())
                      .collect(Collectors.joining("; ")));
    };
  }

  private int print(ReplayReport report) {
    PrintWriter out = spec.commandLine().getOut();
    if (output == Output.JSON) {
      out.println(json(report).toPrettyString());
    } else {
      text(report, out);
    }
    out.flush();
    if (report.difference().isPresent()) {
      return DIFFERS;
    }
    return report.policies().values().stream().anyMatch(PolicyComparison::isWorse) ? WORSE : 0;
  }

  private static void text(ReplayReport report, PrintWriter out) {
    out.printf(
        "%,d events and %,d decisions in %d files%s%n",
        report.events(),
        report.decisions(),
        report.files(),
        report.from().map(from -> ", from " + from + " to " + report.to().orElse(from)).orElse(""));
    if (report.isCutOff()) {
      out.println("A file ends in the middle of a step, because the process was killed");
    }
    out.println(
        report
            .difference()
            .map(difference -> "A decision differs. " + difference.text())
            .orElse("All decisions are as recorded"));
    report
        .policies()
        .forEach(
            (name, comparison) -> {
              out.printf("%nPolicy %s, %,d pods compared%n", name, comparison.compared());
              for (Result result : Result.values()) {
                out.printf("%8d  %s%n", comparison.pods(result), meaning(result));
              }
              if (!comparison.changes().isEmpty()) {
                out.printf("%nThe first %d of them:%n", comparison.changes().size());
                comparison.changes().forEach(change -> out.println("  " + text(change)));
              }
            });
  }

  private static String meaning(Result result) {
    return switch (result) {
      case SAME -> "would be decided the same";
      case ELSEWHERE -> "would go to another node";
      case EVICTING -> "would fit only by evicting others";
      case FITS_NOWHERE -> "would fit nowhere";
      case FITS_INSTEAD -> "would fit, and fitted nowhere";
      case FAILED -> "could not be tried";
    };
  }

  private static String text(ShadowDecision change) {
    String text = change.pod() + " " + meaning(change.result());
    if (!change.nodeName().isEmpty()) {
      text += ", " + change.nodeName();
    }
    return change.message().isEmpty() ? text : text + ": " + change.message();
  }

  private static ObjectNode json(ReplayReport report) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("files", report.files());
    json.put("events", report.events());
    json.put("decisions", report.decisions());
    report.from().ifPresent(time -> json.put("from", time.toString()));
    report.to().ifPresent(time -> json.put("to", time.toString()));
    json.put("cutOff", report.isCutOff());
    json.put("asRecorded", report.difference().isEmpty());
    report.difference().ifPresent(difference -> json.put("difference", difference.text()));
    ArrayNode list = json.putArray("policies");
    report.policies().forEach((name, comparison) -> write(name, comparison, list.addObject()));
    return json;
  }

  private static void write(String name, PolicyComparison comparison, ObjectNode json) {
    json.put("policy", name).put("compared", comparison.compared());
    for (Result result : Result.values()) {
      json.put(field(result), comparison.pods(result));
    }
    ArrayNode changes = json.putArray("changes");
    for (ShadowDecision change : comparison.changes()) {
      ObjectNode item =
          changes
              .addObject()
              .put("namespace", change.pod().namespace())
              .put("pod", change.pod().name())
              .put("result", field(change.result()));
      Optional.of(change.nodeName())
          .filter(node -> !node.isEmpty())
          .ifPresent(node -> item.put("node", node));
      Optional.of(change.message())
          .filter(message -> !message.isEmpty())
          .ifPresent(message -> item.put("message", message));
    }
  }

  private static String field(Result result) {
    return switch (result) {
      case SAME -> "same";
      case ELSEWHERE -> "elsewhere";
      case EVICTING -> "evicting";
      case FITS_NOWHERE -> "fitNowhere";
      case FITS_INSTEAD -> "fitInstead";
      case FAILED -> "failed";
    };
  }
}

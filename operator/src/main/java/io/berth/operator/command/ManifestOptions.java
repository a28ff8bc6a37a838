package io.berth.operator.command;

import io.berth.operator.offline.ManifestFiles;
import io.berth.operator.offline.OfflineReview;
import io.berth.operator.offline.UnreadableFileException;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of commands that read manifests from files. */
final class ManifestOptions {

  @Option(
      names = {"-f", "--filename"},
      paramLabel = "FILE",
      required = true,
      arity = "1..*",
      description = "YAML or JSON files, or folders with such files; - reads standard input.")
  private List<String> files = List.of();

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      defaultValue = "default",
      description = "Namespace of objects without a namespace.")
  private String namespace = "default";

  @Option(
      names = "--operator-namespace",
      paramLabel = "NAME",
      defaultValue = "berth-system",
      description = "Berth's own namespace. Bindings in it can select other namespaces.")
  private String operatorNamespace = "berth-system";

  OfflineReview review() throws UnreadableFileException {
    return new OfflineReview(ManifestFiles.read(files, System.in), operatorNamespace, namespace);
  }
}

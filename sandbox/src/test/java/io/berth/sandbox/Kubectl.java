package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The real kubectl, run against a sandbox. */
final class Kubectl {
  private final Path directory;

  private Kubectl(Path directory) {
    this.directory = directory;
  }

  /** Returns whether kubectl is on the PATH. */
  static boolean isThere() {
    return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
        .anyMatch(entry -> Files.isExecutable(Path.of(entry, "kubectl")));
  }

  static Kubectl of(Sandbox sandbox, Path directory) throws IOException {
    sandbox.writeKubeconfig(directory.resolve("kubeconfig"));
    return new Kubectl(directory);
  }

  record Run(int code, String out) {}

  Process begin(String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(List.of("kubectl", "--cache-dir", directory.resolve("cache").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("KUBECONFIG", directory.resolve("kubeconfig").toString());
    return builder.start();
  }

  Run run(String... arguments) throws IOException, InterruptedException {
    Process process = begin(arguments);
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Run(process.exitValue(), out);
  }

  /** Runs a command that must succeed, and returns its output. */
  String ok(String... arguments) throws IOException, InterruptedException {
    Run run = run(arguments);
    assertThat(run.code()).as("kubectl %s%n%s", String.join(" ", arguments), run.out()).isZero();
    return run.out();
  }

  String file(String name, String yaml) throws IOException {
    return Files.writeString(directory.resolve(name), yaml).toString();
  }
}

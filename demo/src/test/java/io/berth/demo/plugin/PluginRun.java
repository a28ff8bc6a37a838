package io.berth.demo.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.demo.cluster.Checkout;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A run of {@code kubectl berth} that has ended. */
public record PluginRun(int code, String out, String err) {
  private static final Path PLUGIN = Checkout.find().root().resolve("plugin");

  /** Returns the file that is the plugin. */
  static Path script() {
    return PLUGIN.resolve("kubectl-berth");
  }

  /** Returns whether kubectl, which the plugin needs, is on the PATH. */
  public static boolean kubectlIsThere() {
    return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
        .anyMatch(entry -> Files.isExecutable(Path.of(entry, "kubectl")));
  }

  /**
   * Runs the plugin.
   *
   * @param directory a folder for its files, which contains {@code kubeconfig}
   */
  public static PluginRun of(Path directory, Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(script().toString()));
    command.addAll(List.of(arguments));
    return ofCommand(directory, environment, command);
  }

  /** Runs a command with the plugin on the PATH. */
  static PluginRun ofCommand(Path directory, Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    Path err = Files.createTempFile(directory, "run", ".err");
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
    builder.environment().put("KUBECONFIG", directory.resolve("kubeconfig").toString());
    builder.environment().merge("PATH", PLUGIN.toString(), (path, ours) -> ours + ":" + path);
    builder.directory(directory.toFile());
    builder.environment().put("HOME", directory.toString());
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new PluginRun(process.exitValue(), out, Files.readString(err));
  }
}

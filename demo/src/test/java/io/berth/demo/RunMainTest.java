package io.berth.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.demo.cluster.Checkout;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code make run} as a process, which stops on a signal even while it is starting. */
class RunMainTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir private Path folder;
  private Process process;

  @AfterEach
  void end() {
    if (process != null) {
      process.destroyForcibly();
    }
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143"})
  void aSignalWhileItStarts_endsIt(String signal, int exitCode) throws Exception {
    process = start();
    Path lock = folder.resolve("kubeconfig.lock");
    Awaitility.await().atMost(PATIENCE).until(() -> Files.exists(lock));

    signal(signal);

    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(exitCode);
    assertThat(output()).doesNotContain("Press Ctrl-C");
  }

  @Test
  void aSignalLater_endsIt() throws Exception {
    process = start();
    Awaitility.await().atMost(PATIENCE).until(() -> output().contains("Press Ctrl-C"));

    signal("TERM");

    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(143);
  }

  private Process start() throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(hearingSigint());
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx400m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            absolute(System.getProperty("java.class.path")),
            RunMain.class.getName(),
            "--kubeconfig",
            folder.resolve("kubeconfig").toString()));
    return new ProcessBuilder(command)
        .directory(Checkout.find().root().toFile())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("output").toFile())
        .start();
  }

  /**
   * Returns a command prefix that restores the default action of SIGINT, as the Makefile does. A
   * JVM keeps SIGINT ignored if it was ignored at its start, and a shell ignores it for background
   * processes, such as these tests.
   */
  private static List<String> hearingSigint() throws IOException, InterruptedException {
    List<String> command = List.of("env", "--default-signal=INT");
    List<String> trial = new ArrayList<>(command);
    trial.add("true");
    int known = new ProcessBuilder(trial).redirectErrorStream(true).start().waitFor();
    return known == 0 ? command : List.of();
  }

  private static String absolute(String classPath) {
    return String.join(
        File.pathSeparator,
        Arrays.stream(classPath.split(File.pathSeparator, -1))
            .map(entry -> Path.of(entry).toAbsolutePath().toString())
            .toList());
  }

  private String output() throws IOException {
    return Files.readString(folder.resolve("output"));
  }

  private void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }
}

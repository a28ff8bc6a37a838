package io.berth.demo.real;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** Kubernetes' own kubectl, as an administrator of a real API server. */
final class RealKubectl implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Path binary;
  private final List<String> connection;
  private final List<Process> processes = new ArrayList<>();

  private RealKubectl(Path binary, List<String> connection) {
    this.binary = binary;
    this.connection = connection;
  }

  /** A kubectl that runs; its output and its errors are read as lines. */
  record Running(Process process, List<String> lines) {
    /** Waits until the lines are as wanted. */
    void await(Predicate<List<String>> wanted) {
      try {
        Awaitility.await().atMost(PATIENCE).until(() -> wanted.test(List.copyOf(lines)));
      } catch (ConditionTimeoutException e) {
        throw new AssertionError("kubectl printed:\n" + String.join("\n", lines), e);
      }
    }

    /** Waits for the end, and returns the exit code. */
    int end() throws InterruptedException {
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError("kubectl still runs; it printed:\n" + String.join("\n", lines));
      }
      await(all -> !all.isEmpty());
      return process.exitValue();
    }
  }

  /** Returns the path of kubectl in KUBE_API_TEST_DIR; empty if it is not there. */
  static Optional<Path> binary() {
    return Optional.ofNullable(System.getenv("KUBE_API_TEST_DIR"))
        .filter(folder -> !folder.isBlank())
        .map(folder -> Path.of(folder).resolve("kubectl").toAbsolutePath())
        .filter(Files::isExecutable);
  }

  /**
   * Returns a kubectl for the client's API server.
   *
   * @param folder the folder for its files
   */
  static RealKubectl of(KubernetesClient admin, Path folder) throws IOException {
    Config config = admin.getConfiguration();
    return new RealKubectl(
        binary().orElseThrow(),
        List.of(
            "--kubeconfig=/dev/null",
            "--cache-dir=" + folder.resolve("cache"),
            "--server=" + config.getMasterUrl(),
            "--certificate-authority="
                + file(folder, "ca", config.getCaCertFile(), config.getCaCertData()),
            "--client-certificate="
                + file(folder, "cert", config.getClientCertFile(), config.getClientCertData()),
            "--client-key="
                + file(folder, "key", config.getClientKeyFile(), config.getClientKeyData())));
  }

  private static String file(Path folder, String name, String known, String data)
      throws IOException {
    return known != null
        ? known
        : Files.write(folder.resolve(name), Base64.getDecoder().decode(data)).toString();
  }

  /** Starts kubectl. */
  Running start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(binary.toString());
    command.addAll(connection);
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    processes.add(process);
    List<String> lines = new CopyOnWriteArrayList<>();
    Thread.startVirtualThread(
        () -> {
          try (BufferedReader output =
              new BufferedReader(
                  new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            output.lines().forEach(lines::add);
          } catch (IOException | UncheckedIOException e) {
            lines.add("the output ended: " + e.getMessage());
          }
        });
    return new Running(process, lines);
  }

  @Override
  public void close() {
    processes.forEach(Process::destroyForcibly);
  }
}

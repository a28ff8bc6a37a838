package io.berth.demo.cluster;

import io.fabric8.kubeapitest.KubeAPIServer;
import io.fabric8.kubeapitest.KubeAPIServerConfigBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * An API server that is not ours: the one that KUBECONFIG names, else one started of the binaries
 * in KUBE_API_TEST_DIR for as long as this is open.
 */
public final class RealApiServer implements AutoCloseable {
  private static final int START_MILLIS = 120_000;

  /** Emptying a namespace of thousands of pods is one request. */
  private static final int REQUEST_TIMEOUT_MILLIS = 120_000;

  private static final List<String> NEEDED = List.of("kube-apiserver", "etcd");
  private static final String KUBECTL = "kubectl";

  private final KubernetesClient admin;
  private final Closeable end;

  private RealApiServer(KubernetesClient admin, Closeable end) {
    this.admin = admin;
    this.end = end;
  }

  /** Returns whether there is one to work on. */
  public static boolean isGiven() {
    return variable("KUBECONFIG").or(() -> variable("KUBE_API_TEST_DIR")).isPresent();
  }

  /**
   * Connects to it, or starts it.
   *
   * @throws IllegalStateException when KUBE_API_TEST_DIR lacks a binary
   */
  public static RealApiServer open() throws IOException {
    Optional<String> kubeconfig = variable("KUBECONFIG");
    if (kubeconfig.isPresent()) {
      Config config = Config.fromKubeconfig(Path.of(kubeconfig.get()).toFile());
      return new RealApiServer(client(config), () -> {});
    }
    return started(Path.of(variable("KUBE_API_TEST_DIR").orElseThrow()).toAbsolutePath());
  }

  /** Returns a client that may do everything. */
  public KubernetesClient admin() {
    return admin;
  }

  @Override
  public void close() throws IOException {
    admin.close();
    end.close();
  }

  private static RealApiServer started(Path binaries) throws IOException {
    Path folder = Files.createTempDirectory("berth-api-server");
    KubeAPIServerConfigBuilder options =
        KubeAPIServerConfigBuilder.anAPIServerConfig()
            .withOfflineMode(true)
            .withUpdateKubeConfig(false)
            .withStartupTimeout(START_MILLIS);
    if (Files.isDirectory(binaries.resolve("k8s"))) {
      options.withTestDir(binaries.toString());
    } else {
      options.withTestDir(laidOut(binaries, folder).toString());
    }
    KubeAPIServer server = new KubeAPIServer(options.build());
    server.start();
    return new RealApiServer(
        client(Config.fromKubeconfig(server.getKubeConfigYaml())),
        () -> {
          server.stop();
          remove(folder);
        });
  }

  /** Links to plain binaries, under the names by which kube-api-test looks for them. */
  private static Path laidOut(Path binaries, Path folder) throws IOException {
    String system = System.getProperty("os.name").startsWith("Mac") ? "darwin" : "linux";
    String machine = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
    Path places = folder.resolve("k8s").resolve("1.0.0-" + system + "-" + machine);
    Files.createDirectories(places);
    for (String name : NEEDED) {
      Path binary = binaries.resolve(name);
      if (!Files.isExecutable(binary)) {
        throw new IllegalStateException(
            "KUBE_API_TEST_DIR=%s: there is no executable %s in it; name a folder that holds %s"
                .formatted(binaries, name, String.join(" and ", NEEDED)));
      }
      Files.createSymbolicLink(places.resolve(name), binary);
    }
    Files.createSymbolicLink(places.resolve(KUBECTL), kubectl(binaries));
    return folder;
  }

  /** kube-api-test asks with it whether the server is ready. */
  private static Path kubectl(Path binaries) throws IOException {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    for (Path folder :
        Stream.concat(
                Stream.of(binaries),
                Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                    .splitAsStream(path)
                    .map(Path::of))
            .toList()) {
      Path candidate = folder.resolve(KUBECTL);
      if (Files.isExecutable(candidate)) {
        return candidate.toRealPath();
      }
    }
    throw new IllegalStateException(
        "KUBE_API_TEST_DIR=%s: there is no kubectl in it and none on the PATH; put one there"
            .formatted(binaries));
  }

  private static KubernetesClient client(Config config) {
    return new KubernetesClientBuilder()
        .withConfig(new ConfigBuilder(config).withRequestTimeout(REQUEST_TIMEOUT_MILLIS).build())
        .build();
  }

  private static Optional<String> variable(String name) {
    return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isBlank());
  }

  private static void remove(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(one);
      }
    }
  }
}

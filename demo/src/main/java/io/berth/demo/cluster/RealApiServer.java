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
 * A real API server: the one in KUBECONFIG, or else one that is started from the binaries in
 * KUBE_API_TEST_DIR and stopped on close.
 */
public final class RealApiServer implements AutoCloseable {
  private static final int START_MILLIS = 120_000;

  /** Deleting thousands of pods in a namespace can be a single request. */
  private static final int REQUEST_TIMEOUT_MILLIS = 120_000;

  private static final List<String> NEEDED = List.of("kube-apiserver", "etcd");
  private static final String KUBECTL = "kubectl";

  private final KubernetesClient admin;
  private final Closeable end;

  private RealApiServer(KubernetesClient admin, Closeable end) {
    this.admin = admin;
    this.end = end;
  }

  /** Returns whether KUBECONFIG or KUBE_API_TEST_DIR is set. */
  public static boolean isGiven() {
    return variable("KUBECONFIG").or(() -> variable("KUBE_API_TEST_DIR")).isPresent();
  }

  /**
   * Connects to the API server, or starts it.
   *
   * @throws IllegalStateException if a binary is missing in KUBE_API_TEST_DIR
   */
  public static RealApiServer open() throws IOException {
    Optional<String> kubeconfig = variable("KUBECONFIG");
    if (kubeconfig.isPresent()) {
      Config config = Config.fromKubeconfig(Path.of(kubeconfig.get()).toFile());
      return new RealApiServer(client(config), () -> {});
    }
    return started(Path.of(variable("KUBE_API_TEST_DIR").orElseThrow()).toAbsolutePath());
  }

  /** Returns the administrator client. */
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
    FrontProxyCertificate.create(folder).flags().forEach(options::withApiServerFlag);
    KubeAPIServer server = new KubeAPIServer(options.build());
    server.start();
    return new RealApiServer(
        client(Config.fromKubeconfig(server.getKubeConfigYaml())),
        () -> {
          server.stop();
          remove(folder);
        });
  }

  /** Creates links to the binaries in the folder layout that kube-api-test expects. */
  private static Path laidOut(Path binaries, Path folder) throws IOException {
    String system = System.getProperty("os.name").startsWith("Mac") ? "darwin" : "linux";
    String machine = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
    Path places = folder.resolve("k8s").resolve("1.0.0-" + system + "-" + machine);
    Files.createDirectories(places);
    for (String name : NEEDED) {
      Path binary = binaries.resolve(name);
      if (!Files.isExecutable(binary)) {
        throw new IllegalStateException(
            "KUBE_API_TEST_DIR=%s does not contain an executable %s; specify a folder that contains %s"
                .formatted(binaries, name, String.join(" and ", NEEDED)));
      }
      Files.createSymbolicLink(places.resolve(name), binary);
    }
    Files.createSymbolicLink(places.resolve(KUBECTL), kubectl(binaries));
    return folder;
  }

  /** Returns the path of kubectl, with which kube-api-test checks whether the server is ready. */
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
        "KUBE_API_TEST_DIR=%s does not contain kubectl, and there is none on the PATH; add it to either"
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

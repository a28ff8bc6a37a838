package io.berth.operator.command;

import io.berth.crds.SchedulingPolicy;
import io.berth.operator.api.Backoff;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import java.io.File;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Locates the cluster, and checks before startup that Berth can work with it. */
public final class Cluster {

  private static final int PREFLIGHT_TIMEOUT_MILLIS = 10_000;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final Backoff BACKOFF = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(30));

  private Cluster() {}

  /**
   * Returns the configuration of a kubeconfig file; without one, of the file in KUBECONFIG; else of
   * {@code ~/.kube/config} or of the pod that this process runs in.
   *
   * @throws StartFailure when no cluster is configured
   */
  public static Config find(Optional<Path> kubeconfig) throws StartFailure {
    Config config = config(kubeconfig);
    if (config.getMasterUrl() == null || config.getMasterUrl().isBlank()) {
      throw new StartFailure(
          "the kubeconfig does not name a server: use --kubeconfig FILE with a current-context");
    }
    return config;
  }

  private static Config config(Optional<Path> given) throws StartFailure {
    Optional<Path> file =
        given.or(
            () ->
                Optional.ofNullable(System.getenv("KUBECONFIG"))
                    .filter(f -> !f.isBlank())
                    .map(Path::of));
    if (file.isEmpty()) {
      boolean inCluster = System.getenv("KUBERNETES_SERVICE_HOST") != null;
      boolean home = Files.exists(Path.of(System.getProperty("user.home"), ".kube", "config"));
      if (!inCluster && !home) {
        throw new StartFailure(
            "no cluster is configured: this process does not run in a pod, KUBECONFIG is not set,"
                + " and there is no ~/.kube/config; use --kubeconfig FILE");
      }
      return new ConfigBuilder(Config.autoConfigure(null)).build();
    }
    Path path = file.get();
    String origin = given.isPresent() ? "--kubeconfig" : "KUBECONFIG";
    if (!Files.exists(path)) {
      throw new StartFailure(
          "%s %s: file not found; use the path of a kubeconfig".formatted(origin, path));
    }
    try {
      Files.readString(path);
      Config config = Config.fromKubeconfig(new File(path.toString()));
      if (config.getCurrentContext() == null) {
        throw new StartFailure(
            "%s %s: it has no usable current-context; choose one with: kubectl --kubeconfig %s config use-context NAME"
                .formatted(origin, path, path));
      }
      return ProxyEnvironment.of(System.getenv()).applyTo(config);
    } catch (IOException | RuntimeException e) {
      throw new StartFailure(
          "%s %s: not a valid kubeconfig (%s); correct it, or use another file"
              .formatted(origin, path, firstLine(e)),
          e);
    }
  }

  /**
   * Waits until the API server responds, and checks that Berth can work with it. Replicas that
   * restart in an outage of the API server would otherwise crash in a loop.
   *
   * @param client a client without retries
   * @param waiting receives the reason for each further wait
   * @throws StartFailure when a check fails
   */
  public static void await(KubernetesClient client, Consumer<String> waiting)
      throws StartFailure, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        check(client);
        return;
      } catch (NoAnswer e) {
        waiting.accept(String.valueOf(e.getMessage()));
        Thread.sleep(BACKOFF.pause(attempt, Duration.ZERO, ThreadLocalRandom.current()));
      }
    }
  }

  /** The API server cannot be reached, or is not able to answer. */
  private static final class NoAnswer extends StartFailure {
    NoAnswer(String message) {
      super(message);
    }
  }

  /**
   * Checks that the API server responds, serves Berth's kinds, and lets this account read the
   * required objects.
   *
   * @param client a client without retries
   * @throws StartFailure when a check fails
   */
  private static void check(KubernetesClient client) throws StartFailure, InterruptedException {
    for (Class<? extends HasMetadata> type :
        List.of(SchedulingPolicy.class, Node.class, Pod.class)) {
      read(client, type);
    }
  }

  /** Lists at most one object of a type, to check access. */
  private static void read(KubernetesClient client, Class<? extends HasMetadata> type)
      throws StartFailure, InterruptedException {
    String server = client.getMasterUrl().toString();
    int code = answer(client, server, type);
    switch (code) {
      case HttpURLConnection.HTTP_OK -> {}
      case HttpURLConnection.HTTP_NOT_FOUND ->
          throw new StartFailure(
              "the API server at %s does not serve %s: install Berth's resource definitions first: kubectl apply -f deploy/manifests/00-crds.yaml"
                  .formatted(server, HasMetadata.getFullResourceName(type)));
      case HttpURLConnection.HTTP_UNAUTHORIZED ->
          throw new StartFailure(
              "the API server at %s does not accept this account: check the credentials of the kubeconfig, or the mounted ServiceAccount token"
                  .formatted(server));
      case HttpURLConnection.HTTP_FORBIDDEN ->
          throw new StartFailure(
              "this account is not allowed to list %s at %s: bind it to the ClusterRole berth: kubectl apply -f deploy/manifests/30-rbac.yaml"
                  .formatted(HasMetadata.getFullResourceName(type), server));
      default -> {
        if (code == TOO_MANY_REQUESTS || code >= HttpURLConnection.HTTP_INTERNAL_ERROR) {
          throw noAnswer(server, "HTTP " + code);
        }
        throw new StartFailure(
            "the API server at %s answers HTTP %d: check that the kubeconfig names its address"
                .formatted(server, code));
      }
    }
  }

  private static int answer(
      KubernetesClient client, String server, Class<? extends HasMetadata> type)
      throws StartFailure, InterruptedException {
    String group = HasMetadata.getGroup(type);
    String path =
        (group.isEmpty() ? "api/" : "apis/" + group + "/")
            + HasMetadata.getVersion(type)
            + "/"
            + HasMetadata.getPlural(type)
            + "?limit=1";
    HttpClient http = client.getHttpClient();
    HttpRequest request =
        http.newHttpRequestBuilder()
            .uri(server + (server.endsWith("/") ? "" : "/") + path)
            .header("Accept", "application/json")
            .build();
    try {
      return http.sendAsync(request, byte[].class)
          .get(PREFLIGHT_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
          .code();
    } catch (TimeoutException e) {
      throw noAnswer(server, "no response within " + PREFLIGHT_TIMEOUT_MILLIS / 1000 + " s");
    } catch (ExecutionException e) {
      throw noAnswer(server, firstLine(e));
    }
  }

  private static NoAnswer noAnswer(String server, String why) {
    return new NoAnswer(
        "the API server at %s does not answer (%s): check that the cluster runs and that the kubeconfig names its address"
            .formatted(server, why));
  }

  private static String firstLine(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    String message =
        root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    return message.lines().findFirst().orElse("no reason given");
  }
}

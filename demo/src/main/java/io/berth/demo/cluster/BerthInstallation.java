package io.berth.demo.cluster;

import io.berth.crds.Installation;
import io.berth.operator.Berth;
import io.berth.operator.BerthOptions;
import io.fabric8.kubernetes.api.model.EndpointsBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLContext;

/**
 * Berth running in this process against any cluster. It is installed from deploy/manifests, except
 * the objects that need real nodes (such as its Deployment, Service, and PodDisruptionBudget). It
 * uses its own ServiceAccount and permissions, and its webhook is registered by URL.
 */
public final class BerthInstallation implements AutoCloseable {
  private static final Set<String> RUN_BY_NODES =
      Set.of("Deployment", "Service", "PodDisruptionBudget", "NetworkPolicy");
  private static final Duration READY_PATIENCE = Duration.ofSeconds(60);

  private final KubernetesClient berthsClient;
  private final Berth berth;
  private final String readerToken;
  private final HttpClient http = HttpClient.newHttpClient();

  private BerthInstallation(KubernetesClient berthsClient, Berth berth, String readerToken) {
    this.berthsClient = berthsClient;
    this.berth = berth;
    this.readerToken = readerToken;
  }

  /**
   * Installs and starts Berth. Returns when it is ready, is leading, and has registered its
   * webhook.
   *
   * @param admin client with permission to create everything in deploy/manifests
   * @param options options of Berth; the webhook is overridden
   */
  public static BerthInstallation start(
      KubernetesClient admin, Checkout checkout, BerthOptions options)
      throws IOException, InterruptedException {
    install(admin, checkout);
    new Manifests(admin)
        .apply(
            options.features().stream().map(checkout::feature).toList(),
            object -> !needsNodes(object));
    return startInstalled(admin, options);
  }

  /**
   * Returns a client with the rights of Berth's ServiceAccount, and no others.
   *
   * @param admin client with permission to create tokens for it
   */
  public static KubernetesClient clientOfBerth(KubernetesClient admin) {
    Config rights =
        new ConfigBuilder(admin.getConfiguration())
            .withOauthToken(serviceAccountToken(admin))
            .withUsername(null)
            .withPassword(null)
            .withClientCertData(null)
            .withClientCertFile(null)
            .withClientKeyData(null)
            .withClientKeyFile(null)
            .build();
    return new KubernetesClientBuilder().withConfig(rights).build();
  }

  /**
   * Starts Berth on a cluster where it is already installed. Returns when it is ready, is leading,
   * and has registered its webhook.
   *
   * @param admin client with permission to create tokens for Berth's ServiceAccount
   * @param options options of Berth; the webhook is overridden
   */
  public static BerthInstallation startInstalled(KubernetesClient admin, BerthOptions options)
      throws IOException, InterruptedException {
    KubernetesClient client = clientOfBerth(admin);
    try {
      Berth berth =
          Berth.start(
              options.withWebhook(
                  new BerthOptions.Webhook(0, Optional.of(URI.create("https://127.0.0.1")))),
              client);
      BerthInstallation installation = new BerthInstallation(client, berth, readerToken(admin));
      installation.awaitReady();
      return installation;
    } catch (IOException | InterruptedException | RuntimeException e) {
      client.close();
      throw e;
    }
  }

  /** Applies deploy/manifests, except objects that need nodes that run containers. */
  public static void install(KubernetesClient admin, Checkout checkout) {
    new Manifests(admin).apply(checkout.manifests(), object -> !needsNodes(object));
  }

  /** Returns whether an object in deploy/ is useful only on clusters whose nodes run containers. */
  public static boolean needsNodes(HasMetadata object) {
    return RUN_BY_NODES.contains(object.getKind());
  }

  /**
   * Creates the endpoint of the Service berth-query, if this replica serves the API group of
   * queries: no kubelet runs its pods.
   */
  public void leadQueriesHere(KubernetesClient admin) {
    berth
        .queryPort()
        .ifPresent(
            port ->
                admin
                    .resource(
                        new EndpointsBuilder()
                            .withNewMetadata()
                            .withNamespace(Installation.NAMESPACE)
                            .withName("berth-query")
                            .endMetadata()
                            .addNewSubset()
                            .addNewAddress()
                            .withIp("127.0.0.1")
                            .endAddress()
                            .addNewPort()
                            .withName("query")
                            .withPort(port)
                            .endPort()
                            .endSubset()
                            .build())
                    .create());
  }

  /** The running replica. */
  public Berth berth() {
    return berth;
  }

  /** Returns the base URL of the health, metrics, and explain endpoints. */
  public URI httpUrl() {
    return URI.create("http://127.0.0.1:" + berth.httpPort());
  }

  /** Returns Berth's explanation of its last decision for a pod, as JSON if the pod is known. */
  public String explain(String namespace, String pod) throws IOException, InterruptedException {
    return explain(namespace + "/" + pod);
  }

  /** Returns a page under {@code /explain/} as JSON. */
  public String explain(String page) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("https://127.0.0.1:%d/explain/%s".formatted(berth.httpsPort(), page)))
            .header("Authorization", "Bearer " + readerToken)
            .header("Accept", "application/json")
            .build();
    SSLContext trusting = TrustedAuthorities.context(berth.caBundle());
    try (HttpClient https = HttpClient.newBuilder().sslContext(trusting).build()) {
      return https.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }
  }

  @Override
  public void close() {
    berth.close();
    berthsClient.close();
    http.close();
  }

  private void awaitReady() throws InterruptedException {
    HttpRequest ready = HttpRequest.newBuilder(httpUrl().resolve("/readyz")).build();
    Patience.until(
        READY_PATIENCE,
        () -> {
          HttpResponse<String> answer = http.send(ready, HttpResponse.BodyHandlers.ofString());
          return answer.statusCode() == 200 && berth.isLeading() && berth.isRegistered();
        },
        "Berth did not become ready; see its log above");
  }

  /**
   * Writes a kubeconfig that authenticates as Berth's ServiceAccount.
   *
   * @param admin may create tokens
   * @return the kubeconfig in the folder
   */
  public static Path writeKubeconfig(KubernetesClient admin, Path folder) throws IOException {
    return Files.writeString(
        folder.resolve("berth.kubeconfig"),
        Kubeconfig.of(admin.getConfiguration(), serviceAccountToken(admin)));
  }

  /**
   * Returns a token for Berth's ServiceAccount that is valid for a day.
   *
   * @param admin may create tokens
   */
  public static String serviceAccountToken(KubernetesClient admin) {
    TokenRequest answer =
        admin
            .serviceAccounts()
            .inNamespace(Installation.NAMESPACE)
            .withName(Installation.SERVICE_ACCOUNT)
            .tokenRequest(
                new TokenRequestBuilder()
                    .withNewSpec()
                    .withExpirationSeconds(Duration.ofHours(24).toSeconds())
                    .endSpec()
                    .build());
    return answer.getStatus().getToken();
  }

  /** Returns a token of an account that may read explanations, for Berth's audience. */
  private static String readerToken(KubernetesClient admin) {
    return admin
        .serviceAccounts()
        .inNamespace(Installation.NAMESPACE)
        .withName(Installation.READER_ACCOUNT)
        .tokenRequest(
            new TokenRequestBuilder()
                .withNewSpec()
                .withAudiences(BerthOptions.AUDIENCE)
                .withExpirationSeconds(Duration.ofHours(24).toSeconds())
                .endSpec()
                .build())
        .getStatus()
        .getToken();
  }
}

package io.berth.operator.admission;

import io.berth.crds.SchedulingQueue;
import io.berth.crds.SchedulingQueueSpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.ConfigFollower;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.Metric;
import io.berth.serving.http.ServerSettings;
import io.berth.serving.tls.ClientAuthority;
import io.berth.webhook.admission.AdmissionService;
import io.berth.webhook.admission.PodMutator;
import io.berth.webhook.admission.PodTracing;
import io.berth.webhook.admission.WebhookServer;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.validation.ConfigValidator;
import io.berth.webhook.validation.PolicyValidator;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The admission webhook of this replica: it is served over HTTPS with the certificate that the
 * replicas share, answers from the watched state, and is registered with the API server.
 */
public final class WebhookEndpoint implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(WebhookEndpoint.class);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final CertificateKeeper keeper;
  private final WebhookServer server;

  private WebhookEndpoint(CertificateKeeper keeper, WebhookServer server) {
    this.keeper = keeper;
    this.server = server;
  }

  /** Returns a validator that rejects policies and queues that the engine cannot compile. */
  public static ConfigValidator validator() {
    PolicyCompiler compiler = new PolicyCompiler();
    PolicyValidator policies =
        (name, spec) ->
            switch (compiler.compile(name, "", spec)) {
              case PolicyCompilation.Compiled _ -> List.of();
              case PolicyCompilation.Invalid(var problems) ->
                  problems.stream()
                      // The validator itself checks these, for configs as well.
                      .filter(p -> !p.path().startsWith("spec.allowedNamespaces"))
                      .map(p -> new Problem(ErrorCode.POLICY_INVALID, p.path(), p.message()))
                      .toList();
            };
    return new ConfigValidator(policies, WebhookEndpoint::problemsOf);
  }

  private static List<Problem> problemsOf(String name, SchedulingQueueSpec spec) {
    SchedulingQueue queue = new SchedulingQueue();
    queue.setMetadata(new ObjectMetaBuilder().withName(name.isEmpty() ? "queue" : name).build());
    queue.setSpec(spec);
    return switch (new KubeEvents().upserted(queue)) {
      case ClusterEvent.Malformed malformed ->
          List.of(new Problem(ErrorCode.QUEUE_INVALID, "spec", malformed.refusal().reason()));
      default -> List.of();
    };
  }

  /** Keeps a catalog up to date with the watches. */
  public static void follow(ClusterFeed feed, LiveCatalog catalog) {
    feed.follow(
        new ConfigFollower() {
          @Override
          public void put(HasMetadata object) {
            catalog.put(object);
          }

          @Override
          public void removed(HasMetadata object) {
            catalog.remove(object);
          }
        });
  }

  /**
   * Starts to exercise the review code with synthetic objects.
   *
   * @return a future that completes when the code is warm; await it before serving the webhook
   */
  public static CompletableFuture<Void> warmUp() {
    return CompletableFuture.runAsync(
        WarmUp::run, task -> Thread.ofPlatform().name("warm-up-webhook").daemon().start(task));
  }

  /**
   * Serves the webhook.
   *
   * @param port the port to listen on; 0 takes a free port
   * @param url the URL at which the API server reaches this host, if not through the Service; the
   *     port is added if the URL has none
   * @param clients the authority of the API servers' client certificates; if empty, the webhook
   *     answers clients without a certificate
   * @param schedulerNames the scheduler names whose pods Berth places
   * @param legacy whether ConfigMaps with legacy policies are read
   * @param mayMove returns whether this replica may register its URL
   * @param tracing traces the creation of pods; empty if tracing is off
   * @throws IOException when the port cannot be listened on
   */
  public static WebhookEndpoint start(
      KubernetesClient client,
      String namespace,
      CertificateKeeper keeper,
      int port,
      Optional<URI> url,
      Optional<ClientAuthority> clients,
      Set<String> schedulerNames,
      boolean legacy,
      BooleanSupplier mayMove,
      LiveCatalog catalog,
      BerthMetrics metrics,
      Optional<PodTracing> tracing)
      throws IOException {
    PodMutator mutator =
        new PodMutator(new ReadThroughLookup(client), InstantSource.system(), schedulerNames);
    WebhookMetrics observer = new WebhookMetrics(metrics);
    ConfigReading reading =
        new ConfigReading(client, namespace, () -> ConfigReading.Sizes.of(catalog.get()), legacy);
    reading.warmUp();
    CaughtUpCatalog current = new CaughtUpCatalog(catalog, reading::read, metrics);
    AdmissionService service =
        new AdmissionService(current, mutator, validator(), observer, tracing);
    WebhookServer server =
        WebhookServer.start(
            ServerSettings.reviews(port), keeper.live(), clients, service, observer::answered);
    keeper.register(url.map(base -> withPort(base, server.port())), mayMove);
    WebhookEndpoint endpoint = new WebhookEndpoint(keeper, server);
    metrics.gauge(
        Metric.WEBHOOK_REGISTERED, () -> endpoint.registrationProblem().isEmpty() ? 1 : 0);
    LOG.info("Webhook served on port {}", server.port());
    return endpoint;
  }

  public int port() {
    return server.port();
  }

  /** Returns the reason why the API server may not call this webhook; empty if it is registered. */
  public Optional<String> registrationProblem() {
    return keeper.registrationProblem();
  }

  /**
   * Makes clients close their connections after the next response, so that other replicas take
   * over.
   */
  public void askClientsToLeave() {
    server.askClientsToLeave();
  }

  @Override
  public void close() {
    if (!server.stop(PATIENCE)) {
      LOG.warn(
          "Admission reviews were still in progress; the API server admits their pods unchanged");
    }
  }

  private static URI withPort(URI base, int port) {
    return URI.create(
        "https://" + HostPort.of(base.getHost(), base.getPort() > 0 ? base.getPort() : port) + "/");
  }
}

package io.berth.operator.admission;

import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.record.BerthMetrics;
import io.berth.webhook.admission.AdmissionService;
import io.berth.webhook.admission.PodMutator;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.http.ServerSettings;
import io.berth.webhook.http.WebhookServer;
import io.berth.webhook.tls.CertificateState;
import io.berth.webhook.tls.LiveCertificate;
import io.berth.webhook.tls.RenewalRules;
import io.berth.webhook.validation.ConfigValidator;
import io.berth.webhook.validation.PolicyValidator;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The admission webhook of this replica: served over HTTPS with the certificate that the replicas
 * share, answered from what the watches show, and registered with the API server. Once a minute it
 * looks whether a certificate is due.
 */
public final class WebhookEndpoint implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(WebhookEndpoint.class);
  private static final Duration LOOK_EVERY = Duration.ofMinutes(1);
  private static final Duration LOOK_AFTER_FAILURE = Duration.ofSeconds(5);
  private static final Duration PATIENCE = Duration.ofSeconds(3);
  private static final String SERVICE = "berth";

  private final SharedCertificate certificates;
  private final WebhookRegistration registration;
  private final LiveCertificate live;
  private final WebhookServer server;
  private final Thread keeper;
  private volatile boolean closed;
  private volatile String problem = "is not registered with the API server yet";

  private WebhookEndpoint(
      SharedCertificate certificates,
      WebhookRegistration registration,
      LiveCertificate live,
      WebhookServer server) {
    this.certificates = certificates;
    this.registration = registration;
    this.live = live;
    this.server = server;
    this.keeper = Thread.ofVirtual().name("certificates").unstarted(this::keep);
  }

  /** The validator that knows what the engine can compile. */
  public static ConfigValidator validator() {
    PolicyCompiler compiler = new PolicyCompiler();
    PolicyValidator policies =
        (name, spec) ->
            switch (compiler.compile(name, "", spec)) {
              case PolicyCompilation.Compiled _ -> List.of();
              case PolicyCompilation.Invalid(var problems) ->
                  problems.stream()
                      // The validator itself looks at these, for configs as well.
                      .filter(p -> !p.path().startsWith("spec.allowedNamespaces"))
                      .map(p -> new Problem(ErrorCode.POLICY_INVALID, p.path(), p.message()))
                      .toList();
            };
    return new ConfigValidator(policies);
  }

  /** Makes a catalog follow the watches. */
  public static void follow(ClusterFeed feed, LiveCatalog catalog) {
    feed.follow(
        new ClusterFeed.ConfigFollower() {
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
   * Serves the webhook.
   *
   * @param port 0 takes a free port
   * @param url where the API server reaches this host, when not through the Service; the port is
   *     added
   * @throws IOException when the port cannot be listened on
   */
  public static WebhookEndpoint start(
      KubernetesClient client,
      String namespace,
      int port,
      Optional<URI> url,
      LiveCatalog catalog,
      BerthMetrics metrics,
      Clock clock)
      throws IOException {
    List<String> names = new ArrayList<>(RenewalRules.serviceNames(SERVICE, namespace));
    url.map(URI::getHost).ifPresent(names::add);
    SharedCertificate certificates =
        new SharedCertificate(client, namespace, RenewalRules.usual(names), clock);
    LiveCertificate live = new LiveCertificate(certificates.current(), clock);
    WarmUp.run();
    PodMutator mutator = new PodMutator(new ReadThroughLookup(client), InstantSource.system());
    WebhookMetrics observer = new WebhookMetrics(metrics);
    ConfigReading reading = new ConfigReading(client, namespace);
    reading.warmUp();
    CaughtUpCatalog current = new CaughtUpCatalog(catalog, reading::read, metrics);
    AdmissionService service = new AdmissionService(current, mutator, validator(), observer);
    WebhookServer server =
        WebhookServer.start(ServerSettings.reviews(port), live, service, observer::answered);
    Optional<URI> reached =
        url.map(base -> URI.create("https://" + host(base) + ":" + server.port() + "/"));
    WebhookEndpoint endpoint =
        new WebhookEndpoint(certificates, new WebhookRegistration(client, reached), live, server);
    endpoint.keeper.start();
    return endpoint;
  }

  public int port() {
    return server.port();
  }

  /** Why the API server may not be calling this webhook; empty when it is registered. */
  public Optional<String> problem() {
    return Optional.of(problem).filter(text -> !text.isEmpty());
  }

  @Override
  public void close() {
    closed = true;
    keeper.interrupt();
    if (!server.stop(PATIENCE)) {
      LOG.warn("Admission reviews were still under way; the API server lets their pods pass");
    }
  }

  private void keep() {
    while (!closed) {
      Duration pause = look();
      try {
        Thread.sleep(pause);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Does what is due to certificates and registration; answers when to look again. */
  Duration look() {
    try {
      CertificateState state = certificates.current();
      live.exchange(state);
      List<String> missing = registration.update(state.caBundle());
      String found =
          missing.isEmpty()
              ? ""
              : "there is no %s named berth: apply deploy/manifests/80-webhooks.yaml"
                  .formatted(String.join(" and no ", missing));
      if (!found.isEmpty() && !found.equals(problem)) {
        LOG.warn("Webhook: {}", found);
      } else if (found.isEmpty() && !problem.isEmpty()) {
        LOG.info("Webhook registered, served on port {}", server.port());
      }
      problem = found;
      return found.isEmpty() ? LOOK_EVERY : LOOK_AFTER_FAILURE;
    } catch (KubernetesClientException e) {
      LOG.warn("Webhook certificate or registration: {}; trying again", e.getMessage());
      return LOOK_AFTER_FAILURE;
    } catch (RuntimeException e) {
      LOG.error("Looking after the webhook's certificate and registration failed; trying again", e);
      return LOOK_AFTER_FAILURE;
    }
  }

  private static String host(URI base) {
    return base.getHost().contains(":") && !base.getHost().startsWith("[")
        ? "[" + base.getHost() + "]"
        : base.getHost();
  }
}

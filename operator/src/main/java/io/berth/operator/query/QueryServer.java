package io.berth.operator.query;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.whatif.Mirror;
import io.berth.operator.feed.FedPod;
import io.berth.operator.gpu.CardProtocols;
import io.berth.operator.http.Explainer;
import io.berth.operator.http.ReplicaClient;
import io.berth.operator.owner.OwnerReading;
import io.berth.operator.schedule.EngineFeed;
import io.berth.operator.whatif.MirrorThread;
import io.berth.serving.http.HttpServer;
import io.berth.serving.http.ServerSettings;
import io.berth.serving.tls.LiveCertificate;
import io.berth.webhook.admission.ConfigLookup;
import io.berth.webhook.admission.PodMutator;
import io.berth.webhook.binding.ConfigCatalog;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server of the API group, for API servers that forward requests. Every replica serves it,
 * whether or not it leads.
 */
public final class QueryServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(QueryServer.class);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final HttpServer server;
  private final FrontProxy proxy;
  private final MirrorThread mirrors;
  private final Watches watches;

  private QueryServer(HttpServer server, FrontProxy proxy, MirrorThread mirrors, Watches watches) {
    this.server = server;
    this.proxy = proxy;
    this.mirrors = mirrors;
    this.watches = watches;
  }

  /**
   * The sources of the answers.
   *
   * @param client a client that may create SubjectAccessReviews, and read the ConfigMap about front
   *     proxies, pods, and the objects with their templates
   * @param feed what engines are fed
   * @param pods returns the cached pods
   * @param pod returns a cached pod by its namespace and name
   * @param isNode whether there is a node of this name
   * @param catalog returns the configs and bindings by which pods are rendered
   * @param explainer the source of decisions
   * @param schedulerNames the scheduler names of the pods that Berth places
   * @param hami whether nodes may have cards of HAMi
   */
  public record Sources(
      KubernetesClient client,
      EngineFeed feed,
      Supplier<Stream<FedPod>> pods,
      BiFunction<String, String, Optional<FedPod>> pod,
      Predicate<String> isNode,
      Supplier<ConfigCatalog> catalog,
      Explainer explainer,
      Set<String> schedulerNames,
      boolean hami,
      Clock clock) {}

  /**
   * The other replicas.
   *
   * @param leading returns whether this replica leads
   * @param standbys the replicas that have announced themselves to this one
   * @param forwarded called with the result of each review that was sent to a standby: {@code
   *     answered} or {@code failed}
   */
  public record Replicas(
      BooleanSupplier leading,
      Standbys standbys,
      ReplicaClient client,
      Consumer<String> forwarded) {}

  /**
   * Starts to serve.
   *
   * @param port the port to listen on; 0 takes a free port
   * @throws IOException if the port cannot be listened on
   */
  public static QueryServer start(
      int port, LiveCertificate certificate, Sources sources, Replicas replicas)
      throws IOException {
    FrontProxy proxy = new FrontProxy();
    EngineOptions options = EngineOptions.defaults().withSchedulerNames(sources.schedulerNames());
    MirrorThread mirrors =
        new MirrorThread(sources.feed(), () -> new Mirror(options), sources.clock());
    MirrorAnswers answers = new MirrorAnswers(mirrors);
    PodMutator mutator =
        new PodMutator(ConfigLookup.nothing(), sources.clock(), sources.schedulerNames());
    KubeEvents events = new KubeEvents(new CardProtocols(sources.hami()));
    Renderings renderings =
        new Renderings(
            sources.pods(),
            new PodOrigins(new OwnerReading(sources.client())::readWhole),
            mutator,
            events);
    PlacementReviews placements =
        new PlacementReviews(
            answers,
            new ReviewedPod(mutator, events),
            sources.catalog(),
            sources.schedulerNames(),
            sources.clock());
    ResourceAccess access =
        new ResourceAccess(review -> sources.client().resource(review).create(), sources.clock());
    Watches watches = new Watches(Watches.MOST, Watches.MOST_OF_A_USER);
    QueryRequests requests =
        new QueryRequests(
            proxy,
            access,
            new ObjectReads(readable(sources), access, watches, sources.clock()),
            placements,
            new PolicyReviews(answers, sources.catalog(), renderings, sources.clock()),
            new NodeVerdicts(answers, sources.clock()),
            new StandbyReviews(
                replicas.leading(),
                replicas.standbys(),
                replicas.client(),
                proxy,
                replicas.forwarded(),
                System::nanoTime),
            sources.clock());
    HttpServer server =
        HttpServer.startForClients(
            ServerSettings.forwarded(port, "--query-port"),
            certificate,
            proxy.authority(),
            requests);
    proxy.follow(sources.client());
    LOG.info("API group {} served on port {}", QueryApi.GROUP, server.port());
    return new QueryServer(server, proxy, mirrors, watches);
  }

  /** Returns the resources that can be read, and publishes those of which this replica may lead. */
  private static Map<QueryResource, ObjectSource> readable(Sources sources) {
    NodePools pools = new NodePools(sources.feed(), sources.clock());
    PendingReasons pending =
        new PendingReasons(sources.pods(), sources.schedulerNames(), sources.clock());
    return Map.of(
        QueryResource.DECISIONS,
        new QueryableDecisions(sources.explainer(), sources.pod(), sources.isNode()),
        QueryResource.POOLS,
        published(QueryResource.POOLS, pools::objects, sources),
        QueryResource.PENDING_REASONS,
        published(QueryResource.PENDING_REASONS, pending::objects, sources));
  }

  private static QueryableClusterObjects published(
      QueryResource resource, Supplier<List<ObjectNode>> compute, Sources sources) {
    QueryableClusterObjects objects =
        new QueryableClusterObjects(
            resource, new ComputedObjects(compute, sources.clock()), sources.explainer());
    sources.explainer().publish(resource.plural(), objects);
    return objects;
  }

  /** Returns the port on which the server listens. */
  public int port() {
    return server.port();
  }

  @Override
  public void close() {
    mirrors.close();
    watches.close();
    if (!server.stop(PATIENCE)) {
      LOG.debug("Requests were still in progress on port {}", port());
    }
    proxy.close();
  }
}

package io.berth.sandbox.http;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.berth.sandbox.admission.webhook.ServiceResolver;
import io.berth.sandbox.auth.ApiUse;
import io.berth.sandbox.auth.RbacAuthorizer;
import io.berth.sandbox.auth.Tokens;
import io.berth.sandbox.discovery.Discovery;
import io.berth.sandbox.openapi.OpenApiDocuments;
import io.berth.sandbox.rest.Operations;
import io.berth.sandbox.table.Tables;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

/** The HTTPS server, based on that of the JDK, with one virtual thread per request. */
public final class ApiServer implements AutoCloseable {
  private static final int BACKLOG = 1024;

  private final HttpsServer server;
  private final ExecutorService threads;
  private final ApiHandler handler;
  private final Aggregation aggregation;

  private ApiServer(
      HttpsServer server, ExecutorService threads, ApiHandler handler, Aggregation aggregation) {
    this.aggregation = aggregation;
    this.server = server;
    this.threads = threads;
    this.handler = handler;
  }

  /**
   * Starts the server.
   *
   * @param address address to listen on; port 0 selects a free port
   * @param services the addresses of the servers to which requests are forwarded
   * @throws PortInUseException if another process listens on the port
   */
  public static ApiServer start(
      InetSocketAddress address,
      Certificates certificates,
      Operations operations,
      Tokens tokens,
      RbacAuthorizer authorizer,
      Discovery discovery,
      OpenApiDocuments openApi,
      Tables tables,
      ServiceResolver services,
      Clock clock) {
    JdkServerSettings.apply();
    HttpsServer server = open(address);
    server.setHttpsConfigurator(new HttpsConfigurator(certificates.serverContext()));
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    server.setExecutor(threads);
    Reviews reviews = new Reviews(operations, tokens, authorizer, clock);
    Aggregation aggregation =
        new Aggregation(
            operations.store(),
            operations.registry().builtIn("apiregistration.k8s.io", "apiservices"),
            services,
            certificates.frontProxy());
    ApiHandler handler =
        new ApiHandler(
            operations,
            tokens,
            authorizer,
            new Documents(discovery, openApi, aggregation),
            aggregation,
            new Lists(operations.store(), tables),
            new Watches(operations.store(), tables),
            new Writes(operations, reviews),
            new ApiHandler.ComputedReads());
    server.createContext("/", handler);
    server.start();
    return new ApiServer(server, threads, handler, aggregation);
  }

  private static HttpsServer open(InetSocketAddress address) {
    try {
      return HttpsServer.create(address, BACKLOG);
    } catch (BindException e) {
      throw new PortInUseException(address, e);
    } catch (IOException e) {
      throw new IllegalStateException("the sandbox cannot listen on " + address, e);
    }
  }

  /** The port that the server listens on. */
  public int port() {
    return server.getAddress().getPort();
  }

  /** Returns the number of requests since the start, by user, agent, verb, and resource. */
  public Map<ApiUse, Long> usage() {
    Map<ApiUse, Long> counts = new TreeMap<>(Comparator.comparing(ApiUse::toString));
    for (Map.Entry<ApiUse, LongAdder> entry : handler.usage().entrySet()) {
      counts.put(entry.getKey(), entry.getValue().sum());
    }
    return counts;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
    aggregation.close();
  }
}

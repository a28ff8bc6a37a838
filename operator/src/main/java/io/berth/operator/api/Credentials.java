package io.berth.operator.api;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.utils.HttpClientUtils;
import io.fabric8.kubernetes.client.utils.OpenIDConnectionUtils;
import io.fabric8.kubernetes.client.utils.Utils;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Berth's credentials for the API server: the value of the Authorization header, shared by all
 * clients of the process.
 *
 * <p>A token is reloaded from its source (a mounted file, a kubeconfig, an exec plugin, an OIDC
 * issuer) once a minute while requests are sent, and when the API server has rejected it.
 * Concurrent requests share one reload, and carry the old token until it completes.
 */
final class Credentials {

  private static final Logger LOG = LoggerFactory.getLogger(Credentials.class);
  private static final String AUTHORIZATION = "Authorization";
  private static final Set<String> READS = Set.of("GET", "HEAD");
  private static final Duration RENEW_EVERY = Duration.ofMinutes(1);

  /**
   * The minimum time between reloads after a 401: a token that was just reloaded is not reloaded
   * again at once.
   */
  private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(5);

  /** The time that the client has to close a connection before a request is sent again. */
  private static final Duration CLOSING_PAUSE = Duration.ofMillis(100);

  private final Config config;
  private final LongSupplier nanoTime;
  private final boolean renewable;

  // Guarded by this.
  private String header;
  private long renewedAt;
  private @Nullable CompletableFuture<Void> renewal;
  private @Nullable String lastProblem;

  /**
   * @param config the configuration that names the token's source
   * @param nanoTime a clock like {@link System#nanoTime}
   */
  Credentials(Config config, LongSupplier nanoTime) {
    this.config = config;
    this.nanoTime = nanoTime;
    boolean basic =
        Utils.isNotNullOrEmpty(config.getUsername())
            && Utils.isNotNullOrEmpty(config.getPassword());
    this.renewable = !basic && !Utils.isNotNullOrEmpty(config.getOauthToken());
    this.header =
        basic
            ? HttpClientUtils.basicCredentials(config.getUsername(), config.getPassword())
            : bearer(token(config));
    this.renewedAt = nanoTime.getAsLong();
  }

  /** The value of the Authorization header; empty if the configuration has no token. */
  synchronized String authorization() {
    if (renewable && sinceRenewal() >= RENEW_EVERY.toNanos()) {
      var _ = renewOnce();
    }
    return header;
  }

  /**
   * Reloads the token after the API server has rejected it.
   *
   * @param refused the header value that was rejected
   * @return whether the header has a new value, with which to send the request again
   */
  synchronized CompletableFuture<Boolean> renewAfter(String refused) {
    if (!header.equals(refused)) {
      return CompletableFuture.completedFuture(true);
    }
    boolean tooSoon = renewal == null && sinceRenewal() < SHORTEST_PAUSE.toNanos();
    if (!renewable || tooSoon) {
      return CompletableFuture.completedFuture(false);
    }
    return renewOnce().thenApply(done -> !current().equals(refused));
  }

  /**
   * Returns an interceptor that sets the Authorization header of the Kubernetes client, and
   * replaces the client's own.
   *
   * @param mayWrite evaluated before each write request; if it does not hold, the request fails
   *     with a {@link TermOverException}
   */
  Interceptor interceptor(BooleanSupplier mayWrite) {
    return new Interceptor() {
      @Override
      public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
        if (!maySend(request)) {
          throw new TermOverException();
        }
        String value = authorization();
        if (!value.isEmpty()) {
          builder.setHeader(AUTHORIZATION, value);
        }
      }

      @Override
      public CompletableFuture<Boolean> afterFailure(
          BasicBuilder builder, HttpResponse<?> response, RequestTags tags) {
        if (response.code() != HttpURLConnection.HTTP_UNAUTHORIZED) {
          return CompletableFuture.completedFuture(false);
        }
        String refused = Objects.requireNonNullElse(response.request().header(AUTHORIZATION), "");
        return renewAfter(refused)
            .thenCompose(
                renewed -> {
                  if (!renewed || !maySend(response.request())) {
                    return CompletableFuture.completedFuture(false);
                  }
                  return abandoned(response)
                      .thenApply(
                          then -> {
                            if (!maySend(response.request())) {
                              throw new TermOverException();
                            }
                            builder.setHeader(AUTHORIZATION, current());
                            return true;
                          });
                });
      }

      private boolean maySend(HttpRequest request) {
        return !isWrite(request) || mayWrite.getAsBoolean();
      }
    };
  }

  /**
   * Abandons a response and waits until its connection has left the client's pool. The client
   * closes the connection of an abandoned HTTP/1.1 response, but not at once, and would send the
   * request again on that connection.
   */
  private static CompletableFuture<Void> abandoned(HttpResponse<?> response) {
    if (response.body() instanceof AsyncBody body) {
      body.cancel();
    }
    return CompletableFuture.runAsync(
        () -> {},
        CompletableFuture.delayedExecutor(CLOSING_PAUSE.toMillis(), TimeUnit.MILLISECONDS));
  }

  private static boolean isWrite(HttpRequest request) {
    return !READS.contains(request.method());
  }

  private synchronized String current() {
    return header;
  }

  private synchronized long sinceRenewal() {
    return nanoTime.getAsLong() - renewedAt;
  }

  private synchronized CompletableFuture<Void> renewOnce() {
    CompletableFuture<Void> running = renewal;
    if (running != null) {
      return running;
    }
    CompletableFuture<Void> started = new CompletableFuture<>();
    renewal = started;
    Thread.ofVirtual()
        .name("renew-credentials")
        .start(
            () -> {
              try {
                renewed(bearer(read()));
              } catch (RuntimeException e) {
                failed(e);
              } finally {
                started.complete(null);
              }
            });
    return started;
  }

  /** Reads the token, blocking while an exec plugin runs or an OIDC issuer responds. */
  private @Nullable String read() {
    Config newest = config.refresh();
    boolean oidc =
        newest.getAuthProvider() != null
            && "oidc".equalsIgnoreCase(newest.getAuthProvider().getName());
    return oidc && OpenIDConnectionUtils.idTokenExpired(newest)
        ? OpenIDConnectionUtils.resolveOIDCTokenFromAuthConfig(
                config,
                newest.getAuthProvider().getConfig(),
                HttpClientUtils.getHttpClientFactory().newBuilder())
            .join()
        : token(newest);
  }

  private synchronized void renewed(String newest) {
    renewal = null;
    renewedAt = nanoTime.getAsLong();
    lastProblem = null;
    if (!newest.isEmpty()) {
      header = newest;
    }
  }

  private synchronized void failed(RuntimeException failure) {
    renewal = null;
    renewedAt = nanoTime.getAsLong();
    String problem = String.valueOf(failure.getMessage());
    if (!problem.equals(lastProblem)) {
      lastProblem = problem;
      LOG.warn(
          "The token for the API server could not be reloaded: {}. Berth continues to use the"
              + " current token; check the kubeconfig, its exec plugin, or the mounted token",
          problem);
    }
  }

  private static @Nullable String token(Config config) {
    if (config.getOauthTokenProvider() != null) {
      return config.getOauthTokenProvider().getToken();
    }
    return config.getOauthToken() != null ? config.getOauthToken() : config.getAutoOAuthToken();
  }

  private static String bearer(@Nullable String token) {
    return token == null || token.isEmpty() ? "" : "Bearer " + token;
  }
}

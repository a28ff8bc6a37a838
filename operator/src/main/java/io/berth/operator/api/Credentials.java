package io.berth.operator.api;

import io.fabric8.kubernetes.client.Config;
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
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Berth's credentials for the API server: the value of the Authorization header, for all clients of
 * the process.
 *
 * <p>A token is read again from where it comes from (a mounted file, a kubeconfig, an exec plugin,
 * an OIDC issuer) once a minute while requests are sent, and when the API server has refused it.
 * However many requests are sent meanwhile, it is read once; they carry the token of before.
 */
final class Credentials {

  private static final Logger LOG = LoggerFactory.getLogger(Credentials.class);
  private static final String AUTHORIZATION = "Authorization";
  private static final Set<String> READS = Set.of("GET", "HEAD");
  private static final Duration RENEW_EVERY = Duration.ofMinutes(1);

  /** A token that was read a moment ago and is refused all the same is not read again at once. */
  private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(5);

  private final Config config;
  private final LongSupplier nanoTime;
  private final boolean renewable;

  // Guarded by this.
  private String header;
  private long renewedAt;
  private @Nullable CompletableFuture<Void> renewal;
  private @Nullable String lastProblem;

  /**
   * @param config says where the token comes from
   * @param nanoTime a clock as {@link System#nanoTime}
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

  /** The value of the header Authorization; empty where the configuration has no token. */
  synchronized String authorization() {
    if (renewable && sinceRenewal() >= RENEW_EVERY.toNanos()) {
      var _ = renewOnce();
    }
    return header;
  }

  /**
   * Reads the token again after the API server has refused it.
   *
   * @param refused the header that was refused
   * @return whether there is another header now, with which to send the request again
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
   * Gives requests of the Kubernetes client their header, in place of the client's own.
   *
   * @param mayWrite asked before each request that changes something; if it does not hold, the
   *     request fails with a {@link TermOverException}
   */
  Interceptor interceptor(BooleanSupplier mayWrite) {
    return new Interceptor() {
      @Override
      public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
        if (isWrite(request) && !mayWrite.getAsBoolean()) {
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
            .thenApply(
                renewed -> {
                  boolean again =
                      renewed && (!isWrite(response.request()) || mayWrite.getAsBoolean());
                  if (again) {
                    builder.setHeader(AUTHORIZATION, current());
                  }
                  return again;
                });
      }
    };
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

  /** Reads the token; an exec plugin runs, or an issuer is asked, on this thread. */
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

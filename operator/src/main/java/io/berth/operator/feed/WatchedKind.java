package io.berth.operator.feed;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.net.HttpURLConnection;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One kind's informer: lists, watches, lists again when it must, and never gives up unless the kind
 * is not served.
 */
final class WatchedKind<T extends HasMetadata> {

  private static final Logger LOG = LoggerFactory.getLogger(WatchedKind.class);

  private final String plural;
  private final SharedIndexInformer<T> informer;
  private volatile boolean absent;
  private volatile String lastProblem = "";

  private WatchedKind(String plural, SharedIndexInformer<T> informer) {
    this.plural = plural;
    this.informer = informer;
  }

  static <T extends HasMetadata> WatchedKind<T> of(
      Class<T> type, Informable<T> informable, KindCache<T, ?> cache) {
    SharedIndexInformer<T> informer =
        informable.runnableInformer(0).removeNamespaceIndex().itemStore(cache);
    WatchedKind<T> kind = new WatchedKind<>(HasMetadata.getFullResourceName(type), informer);
    informer.exceptionHandler((started, failure) -> kind.goesOnAfter(failure));
    return kind;
  }

  CompletableFuture<Void> start() {
    return informer
        .start()
        .toCompletableFuture()
        .exceptionallyCompose(
            failure ->
                absent
                    ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.failedFuture(failure));
  }

  void stop() {
    informer.stop();
  }

  boolean isWatching() {
    return absent || informer.isWatching();
  }

  String plural() {
    return plural;
  }

  private boolean goesOnAfter(Throwable failure) {
    if (failure instanceof KubernetesClientException e
        && e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
      absent = true;
      LOG.warn("The API server does not serve {}: Berth goes on without them", plural);
      return false;
    }
    String problem = String.valueOf(failure.getMessage());
    if (!problem.equals(lastProblem)) { // one line per problem, not per attempt
      lastProblem = problem;
      LOG.warn("Watching {} failed, trying again: {}", plural, problem);
    }
    return true;
  }
}

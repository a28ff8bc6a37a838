package io.berth.operator.reconcile;

import io.berth.operator.api.LogKeys;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The versions of objects of one kind that are stored for a restart, without a request if a version
 * is already stored. A write that fails is tried again at the earliest after {@link #AGAIN}.
 */
final class KeptOnce {
  static final Duration AGAIN = Duration.ofSeconds(30);

  private static final Logger LOG = LoggerFactory.getLogger(KeptOnce.class);

  private final String kind;
  private final Clock clock;
  private final Map<String, Object> kept = new ConcurrentHashMap<>();
  private final Map<String, Instant> tryAgain = new ConcurrentHashMap<>();

  /**
   * @param kind the kind of the objects, for messages
   */
  KeptOnce(String kind, Clock clock) {
    this.kind = kind;
    this.clock = clock;
  }

  /**
   * Stores a version of an object, if it is not stored yet.
   *
   * @param version equal for equal versions
   * @param write stores it; throws a KubernetesClientException if it cannot
   * @return whether the version is stored
   */
  boolean keep(String name, Object version, Runnable write) {
    Instant now = clock.instant();
    if (version.equals(kept.get(name))) {
      return true;
    }
    if (now.isBefore(tryAgain.getOrDefault(name, Instant.MIN))) {
      return false;
    }
    try {
      write.run();
      kept.put(name, version);
      tryAgain.remove(name);
      return true;
    } catch (KubernetesClientException e) {
      if (tryAgain.put(name, now.plus(AGAIN)) == null) {
        LogKeys.object(kind, null, name)
            .warn(LOG)
            .accept(
                "%s %s is in use, but was not saved for a restart: %s; retrying every %d s"
                    .formatted(kind, name, e.getMessage(), AGAIN.toSeconds()));
      }
      return false;
    }
  }

  /** Returns the names of the objects whose last write has failed. */
  List<String> failed() {
    return List.copyOf(tryAgain.keySet());
  }
}

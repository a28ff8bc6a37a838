package io.berth.operator.reconcile;

import io.berth.operator.api.LimitedLog;
import io.berth.operator.api.LogKeys;
import io.berth.operator.api.TermOverException;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusDetails;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reactions to statuses that could not be written. They are logged for each kind of object and
 * of failure once a minute, because every object fails while the API server does.
 */
final class StatusFailures {
  private static final Logger LOG = LoggerFactory.getLogger(StatusFailures.class);

  private final LimitedLog log;

  /**
   * @param nanoTime a clock like {@link System#nanoTime}
   */
  StatusFailures(LongSupplier nanoTime) {
    this.log = new LimitedLog(nanoTime);
  }

  /** Reports that the status of an object could not be written. */
  AfterFailure react(HasMetadata resource, Exception failure) {
    LogKeys about = LogKeys.object(resource);
    if (failure instanceof TermOverException) {
      about.debug(LOG).accept(ResourceID.fromResource(resource) + ": " + failure.getMessage());
      return AfterFailure.givesUp();
    }
    int code = failure instanceof KubernetesClientException refused ? refused.getCode() : 0;
    if (code == HttpURLConnection.HTTP_NOT_FOUND) {
      about
          .debug(LOG)
          .accept(ResourceID.fromResource(resource) + " was deleted before its status was written");
      return AfterFailure.givesUp();
    }
    if (code == HttpURLConnection.HTTP_CONFLICT) {
      about
          .debug(LOG)
          .accept(ResourceID.fromResource(resource) + " has changed since its status was computed");
      return new AfterFailure(true, Duration.ZERO);
    }
    log.line(
            "status of a %s, code %d".formatted(resource.getKind(), code),
            "The status of %s %s was not written: %s; retrying"
                .formatted(resource.getKind(), name(resource), failure.getMessage()))
        .ifPresent(about.warn(LOG));
    return new AfterFailure(true, asked(failure));
  }

  private static String name(HasMetadata resource) {
    String namespace = resource.getMetadata().getNamespace();
    String name = resource.getMetadata().getName();
    return namespace == null ? name : namespace + "/" + name;
  }

  /** Returns the delay that the API server requests; zero if it requests none. */
  private static Duration asked(Exception failure) {
    return failure instanceof KubernetesClientException refused
        ? Optional.ofNullable(refused.getStatus())
            .map(Status::getDetails)
            .map(StatusDetails::getRetryAfterSeconds)
            .filter(seconds -> seconds > 0)
            .map(Duration::ofSeconds)
            .orElse(Duration.ZERO)
        : Duration.ZERO;
  }
}

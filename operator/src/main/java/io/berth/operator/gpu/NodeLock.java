package io.berth.operator.gpu;

import io.berth.engine.model.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;

/**
 * HAMi's lock on a node: an annotation with a time, and the namespace and name of a pod. Older
 * versions write only the time.
 *
 * @param since the time at which the lock was acquired
 * @param namespace the pod's namespace; empty if the lock names no pod
 * @param name the pod's name; empty if the lock names no pod
 */
record NodeLock(Instant since, String namespace, String name) {
  static final String ANNOTATION = "hami.io/mutex.lock";

  /** The duration after which the lock of a pod expires. */
  static final Duration EXPIRY = Duration.ofMinutes(5);

  private static final int PARTS = 3;

  static NodeLock of(PodRef pod, Instant now) {
    return new NodeLock(now.truncatedTo(ChronoUnit.SECONDS), pod.namespace(), pod.name());
  }

  /**
   * Parses the annotation.
   *
   * @throws MalformedException if it has another format
   */
  static NodeLock parse(String value) throws MalformedException {
    String[] parts = value.split(",", -1);
    if (parts.length != 1 && parts.length != PARTS) {
      throw new MalformedException(
          "'%s' is not a time, or time, namespace and pod".formatted(value));
    }
    try {
      Instant since = DateTimeFormatter.ISO_OFFSET_DATE_TIME.parse(parts[0], Instant::from);
      return parts.length == 1
          ? new NodeLock(since, "", "")
          : new NodeLock(since, parts[1], parts[2]);
    } catch (DateTimeParseException e) {
      throw new MalformedException("'%s' is not a time".formatted(parts[0]));
    }
  }

  boolean isOf(PodRef pod) {
    return namespace.equals(pod.namespace()) && name.equals(pod.name());
  }

  boolean isExpired(Instant now) {
    return since.plus(EXPIRY).isBefore(now);
  }

  /** The value of the annotation. */
  String text() {
    String time = DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(since.atOffset(ZoneOffset.UTC));
    return name.isEmpty() ? time : time + "," + namespace + "," + name;
  }
}

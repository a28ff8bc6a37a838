package io.berth.sandbox.loop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.store.Json;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A recorder of Events. If an event repeats one of the last 1,000 distinct events, the count of the
 * existing Event is incremented instead. Thread-safe.
 */
public final class EventRecorder {
  private static final int REMEMBERED = 1000;

  private final ObjectWriter writer;
  private final String component;
  private final Clock clock;
  private final AtomicLong sequence = new AtomicLong();
  private final Map<Repeat, Known> recent =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Repeat, Known> eldest) {
          return size() > REMEMBERED;
        }
      };

  private record Repeat(String uid, String reason, String message) {}

  private record Known(String namespace, String name, String uid) {}

  /** Creates a recorder for a component, for example {@code replicaset-controller}. */
  public EventRecorder(ObjectWriter writer, String component, Clock clock) {
    this.writer = writer;
    this.component = component;
    this.clock = clock;
  }

  /** Records a Normal event about an object. */
  public void normal(JsonNode object, String reason, String message) {
    record(object, "Normal", reason, message, "");
  }

  /** Records a Warning event about an object. */
  public void warning(JsonNode object, String reason, String message) {
    record(object, "Warning", reason, message, "");
  }

  /** Records an event of a kubelet, with the node as its source host. */
  public void onNode(JsonNode object, String type, String reason, String message, String node) {
    record(object, type, reason, message, node);
  }

  private synchronized void record(
      JsonNode object, String type, String reason, String message, String host) {
    JsonNode metadata = object.path("metadata");
    Repeat repeat = new Repeat(metadata.path("uid").asText(), reason, message);
    Known known = recent.get(repeat);
    String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    var events = writer.api().registry().builtIn("", "events");
    try {
      if (known != null
          && writer
              .change(
                  events,
                  events.key(known.namespace, known.name),
                  known.uid,
                  "",
                  event -> {
                    event.put("count", event.path("count").asInt(1) + 1);
                    event.put("lastTimestamp", now);
                    return true;
                  })
              .isPresent()) {
        return;
      }
      String namespace = metadata.path("namespace").asText("default");
      ObjectNode event = event(object, type, reason, message, host, now);
      String name = event.path("metadata").path("name").asText();
      String uid = writer.create(events, namespace, event).uid();
      recent.put(repeat, new Known(namespace, name, uid));
    } catch (ApiException e) {
      // Usually the namespace is being deleted. Events are best-effort, so the failure is only
      // logged.
      System.getLogger(EventRecorder.class.getName())
          .log(System.Logger.Level.DEBUG, "an event was not stored: " + e.getMessage());
    }
  }

  private ObjectNode event(
      JsonNode object, String type, String reason, String message, String host, String now) {
    JsonNode metadata = object.path("metadata");
    String namespace = metadata.path("namespace").asText("default");
    Instant instant = clock.instant();
    long stamp = instant.getEpochSecond() * 1_000_000_000 + instant.getNano();
    ObjectNode event = Json.object();
    event.put("apiVersion", "v1").put("kind", "Event");
    event
        .putObject("metadata")
        .put(
            "name",
            metadata.path("name").asText()
                + "."
                + Long.toHexString(stamp + sequence.incrementAndGet()))
        .put("namespace", namespace);
    ObjectNode involved = event.putObject("involvedObject");
    involved.put("kind", object.path("kind").asText());
    if (metadata.has("namespace")) {
      involved.put("namespace", namespace);
    }
    involved
        .put("name", metadata.path("name").asText())
        .put("uid", metadata.path("uid").asText())
        .put("apiVersion", object.path("apiVersion").asText())
        .put("resourceVersion", metadata.path("resourceVersion").asText());
    event.put("reason", reason).put("message", message);
    ObjectNode source = event.putObject("source").put("component", component);
    if (!host.isEmpty()) {
      source.put("host", host);
    }
    event.put("firstTimestamp", now).put("lastTimestamp", now).put("count", 1).put("type", type);
    event.putNull("eventTime");
    event.put("reportingComponent", component).put("reportingInstance", host);
    return event;
  }
}

package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a cluster, as an API server keeps them: each change gives an object a new
 * resourceVersion and is reported to all listeners at once, in order.
 */
final class ApiStore {

  private final Supplier<Instant> now;
  private final Map<Key, ObjectNode> objects = new TreeMap<>();
  private final List<Consumer<Change>> listeners = new ArrayList<>();
  private long version;
  private long uids;

  /** The identity of an object; its namespace is empty for a kind without namespaces. */
  record Key(String kind, String namespace, String name) implements Comparable<Key> {
    static Key of(JsonNode object) {
      JsonNode metadata = object.path("metadata");
      return new Key(
          object.path("kind").asText(),
          metadata.path("namespace").asText(""),
          metadata.path("name").asText());
    }

    static Key pod(String namespace, String name) {
      return new Key("Pod", namespace, name);
    }

    static Key node(String name) {
      return new Key("Node", "", name);
    }

    @Override
    public int compareTo(Key other) {
      int byKind = kind.compareTo(other.kind);
      int byNamespace = byKind == 0 ? namespace.compareTo(other.namespace) : byKind;
      return byNamespace == 0 ? name.compareTo(other.name) : byNamespace;
    }
  }

  /**
   * A change.
   *
   * @param object the object after the change, or its last state if it was deleted; must not be
   *     changed
   */
  record Change(Key key, ObjectNode object, boolean deleted) {}

  /** Creates an empty store. */
  ApiStore(Supplier<Instant> now) {
    this.now = now;
  }

  void listen(Consumer<Change> listener) {
    listeners.add(listener);
  }

  void ignore(Consumer<Change> listener) {
    listeners.remove(listener);
  }

  /** Creates an object, or replaces the one of the same name and UID. */
  void put(ObjectNode object) {
    Key key = Key.of(object);
    ObjectNode stored = object.deepCopy();
    ObjectNode metadata = stored.withObject("/metadata");
    ObjectNode before = objects.get(key);
    if (before == null) {
      metadata.put("uid", "uid-" + ++uids);
      metadata.put("creationTimestamp", now.get().toString());
    }
    metadata.put("resourceVersion", String.valueOf(++version));
    objects.put(key, stored);
    report(new Change(key, stored, false));
  }

  /** Changes an object, if it exists. */
  void change(Key key, Consumer<ObjectNode> change) {
    ObjectNode stored = objects.get(key);
    if (stored != null) {
      ObjectNode changed = stored.deepCopy();
      change.accept(changed);
      if (!changed.equals(stored)) {
        put(changed);
      }
    }
  }

  /** Removes an object, if it exists. */
  void remove(Key key) {
    ObjectNode gone = objects.remove(key);
    if (gone != null) {
      ObjectNode last = gone.deepCopy();
      last.withObject("/metadata").put("resourceVersion", String.valueOf(++version));
      report(new Change(key, last, true));
    }
  }

  private void report(Change change) {
    List.copyOf(listeners).forEach(listener -> listener.accept(change));
  }

  Optional<ObjectNode> find(Key key) {
    return Optional.ofNullable(objects.get(key));
  }

  /** Returns the objects of a kind, in the order of their names; they must not be changed. */
  List<ObjectNode> all(String kind) {
    return objects.entrySet().stream()
        .filter(entry -> entry.getKey().kind().equals(kind))
        .map(Map.Entry::getValue)
        .toList();
  }

  /** Returns all objects; they must not be changed. */
  List<ObjectNode> all() {
    return List.copyOf(objects.values());
  }

  /** Sets or replaces a condition in an object's status. */
  static void setCondition(ObjectNode object, JsonNode condition) {
    ObjectNode status = object.withObject("/status");
    ArrayNode merged = JsonNodeFactory.instance.arrayNode();
    boolean found = false;
    for (JsonNode existing : status.path("conditions")) {
      if (existing.path("type").equals(condition.path("type"))) {
        ObjectNode both = existing.deepCopy();
        both.setAll((ObjectNode) condition);
        merged.add(both);
        found = true;
      } else {
        merged.add(existing);
      }
    }
    if (!found) {
      merged.add(condition);
    }
    status.set("conditions", merged);
  }

  /** Returns the condition of this type. */
  static @Nullable JsonNode condition(JsonNode object, String type) {
    for (JsonNode condition : object.path("status").path("conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return condition;
      }
    }
    return null;
  }

  /** Returns the name of the node to which a pod is bound; empty if it is not bound. */
  static String nodeOf(JsonNode pod) {
    return pod.path("spec").path("nodeName").asText("");
  }

  static boolean isTerminating(JsonNode object) {
    return object.path("metadata").has("deletionTimestamp");
  }

  static boolean isFinished(JsonNode pod) {
    String phase = pod.path("status").path("phase").asText("");
    return phase.equals("Succeeded") || phase.equals("Failed");
  }
}

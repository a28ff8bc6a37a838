package io.berth.operator.query;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.operator.record.ChangeLog;
import io.berth.operator.record.VersionedObjects;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Objects that are computed from caches when somebody asks for them. What differs from the last
 * time is a change. Thread-safe.
 */
final class ComputedObjects implements VersionedObjects<ObjectNode> {
  /** The number of changes that are kept. */
  static final int CHANGES = 2_048;

  private static final String METADATA = "metadata";
  private static final String VERSION = "resourceVersion";

  private final Supplier<List<ObjectNode>> compute;

  // Guarded by this.
  private final ChangeLog<ObjectNode> changes;
  private final TreeMap<String, ObjectNode> known = new TreeMap<>();
  private List<ObjectNode> ordered = List.of();
  private @Nullable List<ObjectNode> computed;

  /**
   * The objects of one moment, in the order in which they were computed.
   *
   * @param version the latest version
   */
  record Snapshot(long version, List<ObjectNode> objects) {
    Snapshot {
      objects = List.copyOf(objects);
    }
  }

  /**
   * @param compute returns the objects, which differ by name
   */
  ComputedObjects(Supplier<List<ObjectNode>> compute, InstantSource clock) {
    this.compute = compute;
    this.changes = new ChangeLog<>(CHANGES, clock);
  }

  /** Returns the objects with their versions. */
  synchronized Snapshot now() {
    List<ObjectNode> latest = compute.get();
    if (!latest.equals(computed)) {
      computed = latest;
      ordered = compared(latest);
    }
    return new Snapshot(changes.version(), ordered);
  }

  private synchronized List<ObjectNode> compared(List<ObjectNode> latest) {
    List<ObjectNode> numbered = new ArrayList<>();
    Set<String> gone = new HashSet<>(known.keySet());
    for (ObjectNode object : latest) {
      String name = object.at("/metadata/name").asText();
      gone.remove(name);
      ObjectNode before = known.get(name);
      if (before == null || !without(before).equals(object)) {
        ObjectNode after = object.deepCopy();
        after.withObject("/" + METADATA).put(VERSION, String.valueOf(changes.next()));
        changes.add(before, after);
        known.put(name, after);
      }
      numbered.add(known.get(name));
    }
    for (String name : gone) {
      changes.add(known.remove(name), null);
    }
    return numbered;
  }

  private static ObjectNode without(ObjectNode numbered) {
    ObjectNode copy = numbered.deepCopy();
    copy.withObject("/" + METADATA).remove(VERSION);
    return copy;
  }

  @Override
  public synchronized Listed<ObjectNode> list(
      Predicate<ObjectNode> wanted, String after, int limit) {
    now();
    List<ObjectNode> found = known.tailMap(after, false).values().stream().filter(wanted).toList();
    List<ObjectNode> page = found.subList(0, Math.min(limit, found.size()));
    return new Listed<>(changes.version(), page, found.size() - page.size());
  }

  @Override
  public synchronized Optional<ChangeLog.Part<ObjectNode>> since(
      long version, int limit, Predicate<ObjectNode> wanted) {
    now();
    return changes.since(version, limit, wanted);
  }

  @Override
  public String key(ObjectNode object) {
    return object.at("/metadata/name").asText();
  }

  @Override
  public long version(ObjectNode object) {
    return object.at("/metadata/resourceVersion").asLong();
  }

  @Override
  public String json(ObjectNode object) {
    return object.toString();
  }
}

package io.berth.sandbox.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A version of an object. It is serialized once for all readers. When it is no longer the current
 * version, only the serialized bytes are kept. Selectors never need the tree, because labels and
 * selectable fields are extracted on construction. Thread-safe.
 */
public final class StoredObject {
  private final ObjectKey key;
  private final long resourceVersion;
  private final Map<String, String> labels;
  private final String[] fields;
  private volatile @Nullable ObjectNode tree;
  private volatile byte @Nullable [] bytes;

  StoredObject(Storage storage, ObjectKey key, long resourceVersion, ObjectNode tree) {
    this.key = key;
    this.resourceVersion = resourceVersion;
    this.tree = tree;
    this.labels = readLabels(tree);
    this.fields = new String[storage.fields().size()];
    for (int i = 0; i < fields.length; i++) {
      fields[i] = storage.fields().get(i).read(tree);
    }
  }

  /** Creates an object that is not in the store, for example the result of a dry run. */
  public static StoredObject unstored(Storage storage, ObjectKey key, ObjectNode tree) {
    return new StoredObject(storage, key, 0, tree);
  }

  private static Map<String, String> readLabels(ObjectNode tree) {
    JsonNode labels = tree.path("metadata").path("labels");
    if (labels.isEmpty()) {
      return Map.of();
    }
    Map<String, String> read = new TreeMap<>();
    labels.properties().forEach(label -> read.put(label.getKey(), label.getValue().asText()));
    return Map.copyOf(read);
  }

  /** Returns the key of the object. */
  public ObjectKey key() {
    return key;
  }

  /** Returns the resourceVersion; 0 if the object is not in the store. */
  public long resourceVersion() {
    return resourceVersion;
  }

  /** Returns the object's labels. */
  public Map<String, String> labels() {
    return labels;
  }

  /** Returns the value of the selectable field at a position in {@link Storage#fields()}. */
  public String field(int position) {
    return fields[position];
  }

  /** Returns {@code metadata.uid}. */
  public String uid() {
    return json().path("metadata").path("uid").asText();
  }

  /** Returns the object as a tree that must not be modified; see {@link #copy()}. */
  public ObjectNode json() {
    ObjectNode current = tree;
    if (current != null) {
      return current;
    }
    byte[] written = bytes;
    if (written == null) {
      throw new IllegalStateException("a stored object has neither a tree nor bytes");
    }
    return Json.read(written);
  }

  /** Returns a copy of the tree, owned by the caller. */
  public ObjectNode copy() {
    ObjectNode current = tree;
    return current != null ? current.deepCopy() : json();
  }

  /** Returns the object as UTF-8 JSON. The array must not be modified. */
  public byte[] bytes() {
    ObjectNode current = tree; // read first, because compact() sets the bytes and then drops it
    byte[] written = bytes;
    if (written == null) {
      if (current == null) {
        throw new IllegalStateException("a stored object has neither a tree nor bytes");
      }
      written = Json.write(current);
      bytes = written;
    }
    return written;
  }

  /** Drops the tree and keeps only the bytes. Called when the version has been replaced. */
  void compact() {
    if (tree != null) {
      byte[] written = bytes();
      bytes = written;
      tree = null;
    }
  }
}

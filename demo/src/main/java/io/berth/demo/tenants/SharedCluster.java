package io.berth.demo.tenants;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The cluster that the tenants share, as they see it. */
public interface SharedCluster {

  /** Returns the objects of a kind, in the order of their names; they must not be changed. */
  List<ObjectNode> all(String kind);

  /** Returns an object, which must not be changed. */
  Optional<ObjectNode> find(ObjectKey key);

  /** Creates an object. */
  void create(ObjectNode object);

  /** Changes an object, if it exists. */
  void change(ObjectKey key, Consumer<ObjectNode> change);

  /** Creates a resource with this spec, or gives an existing one the spec and a new generation. */
  default void write(ObjectNode resource, ObjectNode spec) {
    ObjectKey key = ObjectKey.of(resource);
    if (find(key).isEmpty()) {
      resource.set("spec", spec);
      resource.withObject("/metadata").put("generation", 1);
      create(resource);
      return;
    }
    change(
        key,
        stored -> {
          ObjectNode metadata = stored.withObject("/metadata");
          metadata.put("generation", metadata.path("generation").asLong() + 1);
          stored.set("spec", spec);
        });
  }

  /** Deletes an object, if it exists. A pod on a node terminates first. */
  void delete(ObjectKey key);
}

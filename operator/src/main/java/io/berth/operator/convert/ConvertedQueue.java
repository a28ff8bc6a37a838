package io.berth.operator.convert;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Annotations;
import java.util.Map;
import java.util.TreeMap;

/**
 * A SchedulingQueue that results from a conversion.
 *
 * @param path the name of the queue in the file, with those of its parents
 * @param parent the name of the SchedulingQueue above; empty for none
 * @param isLeaf whether pods can belong to it
 * @param guarantee the quantities by resource
 * @param limit the quantities by resource
 * @param namespace the namespace whose pods belong to it; empty for none
 */
public record ConvertedQueue(
    String path,
    String name,
    String parent,
    boolean isLeaf,
    Map<String, String> guarantee,
    Map<String, String> limit,
    String namespace)
    implements ConvertedObject {

  private static final ObjectMapper JSON = new ObjectMapper();

  public ConvertedQueue {
    guarantee = Map.copyOf(guarantee);
    limit = Map.copyOf(limit);
  }

  @Override
  public String use() {
    return isLeaf
        ? "%s, for pods with the label %s: %s".formatted(path, Annotations.QUEUE_LABEL, name)
        : path;
  }

  @Override
  public ObjectNode manifest() {
    ObjectNode object = JSON.createObjectNode();
    object.put("apiVersion", "sched.cloud.ctrip.com/v1").put("kind", "SchedulingQueue");
    object.putObject("metadata").put("name", name);
    ObjectNode spec = object.putObject("spec");
    if (!parent.isEmpty()) {
      spec.put("parent", parent);
    }
    put(spec, "guarantee", guarantee);
    put(spec, "limit", limit);
    if (!namespace.isEmpty()) {
      spec.putObject("namespaces").putArray("names").add(namespace);
    }
    return object;
  }

  private static void put(ObjectNode spec, String field, Map<String, String> amounts) {
    if (!amounts.isEmpty()) {
      ObjectNode list = spec.putObject(field);
      new TreeMap<>(amounts).forEach(list::put);
    }
  }
}

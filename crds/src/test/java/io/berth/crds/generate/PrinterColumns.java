package io.berth.crds.generate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The columns of {@code kubectl get}: READY, REASON, and AGE for all kinds, and MESSAGE with {@code
 * -o wide}, around the columns that the type of the kind declares. The generator sorts columns by
 * path; this class restores the order of their declaration.
 */
final class PrinterColumns {
  private static final String READY = ".status.conditions[?(@.type=='Ready')]";

  private final ObjectNode version;
  private final Map<String, ObjectNode> generated = new LinkedHashMap<>();

  private PrinterColumns(ObjectNode version) {
    this.version = version;
    version
        .withArray("additionalPrinterColumns")
        .forEach(column -> generated.put(column.get("name").asText(), (ObjectNode) column));
  }

  /** Replaces the columns of a generated definition. */
  static void complete(Class<?> kind, ObjectNode definition) {
    new PrinterColumns((ObjectNode) definition.at("/spec/versions/0")).complete(kind);
  }

  private void complete(Class<?> kind) {
    ArrayNode narrow = JsonNodeFactory.instance.arrayNode();
    ArrayNode wide = JsonNodeFactory.instance.arrayNode();
    narrow.add(column("Ready", READY + ".status", "string"));
    for (AdditionalPrinterColumn own : kind.getAnnotationsByType(AdditionalPrinterColumn.class)) {
      ObjectNode column = generated.get(own.name());
      column.remove("priority");
      if (own.priority() == 0) {
        narrow.add(column);
      } else {
        wide.add(column.put("priority", own.priority()));
      }
    }
    narrow.add(column("Reason", READY + ".reason", "string"));
    narrow.add(column("Age", ".metadata.creationTimestamp", "date"));
    wide.add(column("Message", READY + ".message", "string").put("priority", 1));
    version.set("additionalPrinterColumns", narrow.addAll(wide));
  }

  private static ObjectNode column(String name, String jsonPath, String type) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("jsonPath", jsonPath)
        .put("name", name)
        .put("type", type);
  }
}

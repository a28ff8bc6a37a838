package io.berth.sandbox.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.CustomResources;
import io.berth.sandbox.rest.Views;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.StoredObject;
import java.time.Clock;
import java.util.List;
import java.util.Map;

/** Creates meta.k8s.io Tables, which {@code kubectl get} prints. */
public final class Tables {
  private final CustomResources customResources;
  private final Clock clock;
  private final TableFormat standard = PlainTables.nameAndAge();
  private final Map<String, TableFormat> formats =
      Map.ofEntries(
          Map.entry("pods", PodTable.format()),
          Map.entry("nodes", NodeTable.format()),
          Map.entry("namespaces", PlainTables.namespaces()),
          Map.entry("services", PlainTables.services()),
          Map.entry("configmaps", PlainTables.configMaps()),
          Map.entry("secrets", PlainTables.secrets()),
          Map.entry("serviceaccounts", PlainTables.serviceAccounts()),
          Map.entry("persistentvolumeclaims", StorageTables.claims()),
          Map.entry("persistentvolumes", StorageTables.volumes()),
          Map.entry("storageclasses.storage.k8s.io", StorageTables.classes()),
          Map.entry("resourcequotas", PlainTables.quotas()),
          Map.entry("events", EventTable.format()),
          Map.entry("deployments.apps", WorkloadTables.deployments()),
          Map.entry("replicasets.apps", WorkloadTables.replicaSets()),
          Map.entry("statefulsets.apps", WorkloadTables.statefulSets()),
          Map.entry("daemonsets.apps", WorkloadTables.daemonSets()),
          Map.entry("controllerrevisions.apps", PlainTables.controllerRevisions()),
          Map.entry("jobs.batch", WorkloadTables.jobs()),
          Map.entry("leases.coordination.k8s.io", PlainTables.leases()),
          Map.entry("poddisruptionbudgets.policy", PlainTables.disruptionBudgets()),
          Map.entry("priorityclasses.scheduling.k8s.io", PlainTables.priorityClasses()),
          Map.entry("clusterroles.rbac.authorization.k8s.io", PlainTables.createdAt()),
          Map.entry("roles.rbac.authorization.k8s.io", PlainTables.createdAt()),
          Map.entry("clusterrolebindings.rbac.authorization.k8s.io", PlainTables.bindings()),
          Map.entry("rolebindings.rbac.authorization.k8s.io", PlainTables.bindings()),
          Map.entry("customresourcedefinitions.apiextensions.k8s.io", PlainTables.createdAt()),
          Map.entry(
              "mutatingwebhookconfigurations.admissionregistration.k8s.io", PlainTables.webhooks()),
          Map.entry(
              "validatingwebhookconfigurations.admissionregistration.k8s.io",
              PlainTables.webhooks()),
          Map.entry(
              "validatingadmissionpolicies.admissionregistration.k8s.io",
              PlainTables.admissionPolicies()),
          Map.entry(
              "validatingadmissionpolicybindings.admissionregistration.k8s.io",
              PlainTables.admissionPolicyBindings()));

  /** Creates an instance that computes ages with the given clock. */
  public Tables(CustomResources customResources, Clock clock) {
    this.customResources = customResources;
    this.clock = clock;
  }

  /**
   * Returns a list as a Table.
   *
   * @param metadata the metadata of the list
   * @param version version of meta.k8s.io, {@code v1} or {@code v1beta1}
   * @param includeObject content of each row's object: {@code Metadata} (the default), {@code
   *     Object}, or {@code None}
   */
  public ObjectNode list(
      ResourceType type,
      List<StoredObject> objects,
      ObjectNode metadata,
      String version,
      String includeObject) {
    TableFormat format = formatOf(type);
    ObjectNode table = table(version, metadata);
    addColumns(table, format);
    ArrayNode rows = table.putArray("rows");
    for (StoredObject object : objects) {
      addRow(rows, type, format, object, version, includeObject);
    }
    return table;
  }

  /**
   * Returns an object as a Table with one row. A watch includes the columns only in its first
   * event.
   */
  public ObjectNode event(
      ResourceType type,
      StoredObject object,
      String version,
      String includeObject,
      boolean withColumns) {
    TableFormat format = formatOf(type);
    ObjectNode table =
        table(
            version, Json.object().put("resourceVersion", Long.toString(object.resourceVersion())));
    if (withColumns) {
      addColumns(table, format);
    } else {
      table.putNull("columnDefinitions");
    }
    addRow(table.putArray("rows"), type, format, object, version, includeObject);
    return table;
  }

  /** Returns a bookmark for a watch of Tables. */
  public ObjectNode bookmark(long resourceVersion, String version, ObjectNode metadata) {
    ObjectNode table =
        table(version, Json.object().put("resourceVersion", Long.toString(resourceVersion)));
    table.putNull("columnDefinitions");
    ObjectNode row = table.putArray("rows").addObject();
    row.putArray("cells");
    row.putObject("object")
        .put("kind", "PartialObjectMetadata")
        .put("apiVersion", "meta.k8s.io/" + version)
        .set("metadata", metadata);
    return table;
  }

  private TableFormat formatOf(ResourceType type) {
    if (type.custom()) {
      return customResources
          .find(type)
          .map(served -> CustomTable.of(served.version()))
          .orElse(standard);
    }
    String name = type.is("events.k8s.io", "events") ? "events" : type.qualified();
    return formats.getOrDefault(name, standard);
  }

  private static ObjectNode table(String version, ObjectNode metadata) {
    ObjectNode table =
        Json.object().put("kind", "Table").put("apiVersion", "meta.k8s.io/" + version);
    table.set("metadata", metadata);
    return table;
  }

  private static void addColumns(ObjectNode table, TableFormat format) {
    ArrayNode columns = table.putArray("columnDefinitions");
    for (Column column : format.columns()) {
      columns
          .addObject()
          .put("name", column.name())
          .put("type", column.type())
          .put("format", column.format())
          .put("description", column.description())
          .put("priority", column.priority());
    }
  }

  private void addRow(
      ArrayNode rows,
      ResourceType type,
      TableFormat format,
      StoredObject object,
      String version,
      String includeObject) {
    JsonNode tree = object.json();
    ObjectNode row = rows.addObject();
    ArrayNode cells = row.putArray("cells");
    format.cells().apply(tree, clock.instant()).forEach(cells::addPOJO);
    switch (includeObject) {
      case "None" -> {}
      case "Object" -> row.set("object", Views.tree(type, object));
      default ->
          row.putObject("object")
              .put("kind", "PartialObjectMetadata")
              .put("apiVersion", "meta.k8s.io/" + version)
              .set("metadata", tree.path("metadata"));
    }
  }
}

package io.berth.sandbox.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/** Table formats of kinds that show only a few fields. */
final class PlainTables {
  private PlainTables() {}

  static TableFormat nameAndAge() {
    return new TableFormat(
        List.of(Column.named(), Column.age()),
        (object, now) -> List.of(Cells.name(object), Ages.age(object, now)));
  }

  static TableFormat createdAt() {
    return new TableFormat(
        List.of(Column.named(), new Column("Created At", "date", "", "When it was created", 0)),
        (object, now) ->
            List.of(
                Cells.name(object), object.path("metadata").path("creationTimestamp").asText()));
  }

  static TableFormat namespaces() {
    return new TableFormat(
        List.of(Column.named(), Column.text("Status"), Column.age()),
        (object, now) ->
            List.of(
                Cells.name(object),
                object.path("status").path("phase").asText(),
                Ages.age(object, now)));
  }

  static TableFormat configMaps() {
    return new TableFormat(
        List.of(Column.named(), Column.number("Data"), Column.age()),
        (object, now) ->
            List.of(
                Cells.name(object),
                object.path("data").size() + object.path("binaryData").size(),
                Ages.age(object, now)));
  }

  static TableFormat secrets() {
    return new TableFormat(
        List.of(Column.named(), Column.text("Type"), Column.number("Data"), Column.age()),
        (object, now) ->
            List.of(
                Cells.name(object),
                object.path("type").asText(),
                object.path("data").size(),
                Ages.age(object, now)));
  }

  static TableFormat serviceAccounts() {
    return new TableFormat(
        List.of(Column.named(), Column.number("Secrets"), Column.age()),
        (object, now) ->
            List.of(Cells.name(object), object.path("secrets").size(), Ages.age(object, now)));
  }

  static TableFormat leases() {
    return new TableFormat(
        List.of(Column.named(), Column.text("Holder"), Column.age()),
        (object, now) ->
            List.of(
                Cells.name(object),
                object.path("spec").path("holderIdentity").asText(),
                Ages.age(object, now)));
  }

  static TableFormat quotas() {
    return new TableFormat(
        List.of(Column.named(), Column.text("Request"), Column.text("Limit"), Column.age()),
        (object, now) ->
            List.of(
                Cells.name(object),
                used(object.path("status"), false),
                used(object.path("status"), true),
                Ages.age(object, now)));
  }

  /** Returns what is used of each resource, and how much may be. */
  private static String used(JsonNode status, boolean limits) {
    StringJoiner joined = new StringJoiner(", ");
    status.path("hard").properties().stream()
        .filter(hard -> hard.getKey().startsWith("limits.") == limits)
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            hard ->
                joined.add(
                    hard.getKey()
                        + ": "
                        + status.path("used").path(hard.getKey()).asText("0")
                        + "/"
                        + hard.getValue().asText()));
    return joined.toString();
  }

  static TableFormat disruptionBudgets() {
    return new TableFormat(
        List.of(
            Column.named(),
            Column.text("Min Available"),
            Column.text("Max Unavailable"),
            Column.number("Allowed Disruptions"),
            Column.age()),
        (object, now) ->
            List.of(
                Cells.name(object),
                object.path("spec").path("minAvailable").asText("N/A"),
                object.path("spec").path("maxUnavailable").asText("N/A"),
                object.path("status").path("disruptionsAllowed").asInt(),
                Ages.age(object, now)));
  }

  static TableFormat priorityClasses() {
    return new TableFormat(
        List.of(
            Column.named(),
            Column.number("Value"),
            new Column("Global-Default", "boolean", "", "Whether it is the default", 0),
            Column.age(),
            Column.text("PreemptionPolicy")),
        (object, now) ->
            List.of(
                Cells.name(object),
                object.path("value").asLong(),
                object.path("globalDefault").asBoolean(),
                Ages.age(object, now),
                object.path("preemptionPolicy").asText("PreemptLowerPriority")));
  }

  static TableFormat controllerRevisions() {
    return new TableFormat(
        List.of(Column.named(), Column.text("Controller"), Column.number("Revision"), Column.age()),
        (object, now) -> {
          String controller = Cells.NONE;
          for (JsonNode owner : object.path("metadata").path("ownerReferences")) {
            if (owner.path("controller").asBoolean()) {
              String group = owner.path("apiVersion").asText();
              int slash = group.indexOf('/');
              String kind = owner.path("kind").asText().toLowerCase(Locale.ROOT);
              controller =
                  (slash < 0 ? kind : kind + "." + group.substring(0, slash))
                      + "/"
                      + owner.path("name").asText();
            }
          }
          return List.of(
              Cells.name(object),
              controller,
              object.path("revision").asLong(),
              Ages.age(object, now));
        });
  }

  static TableFormat bindings() {
    return new TableFormat(
        List.of(Column.named(), Column.text("Role"), Column.age()),
        (object, now) ->
            List.of(
                Cells.name(object),
                object.path("roleRef").path("kind").asText()
                    + "/"
                    + object.path("roleRef").path("name").asText(),
                Ages.age(object, now)));
  }

  static TableFormat webhooks() {
    return new TableFormat(
        List.of(Column.named(), Column.number("Webhooks"), Column.age()),
        (object, now) ->
            List.of(Cells.name(object), object.path("webhooks").size(), Ages.age(object, now)));
  }

  static TableFormat admissionPolicies() {
    return new TableFormat(
        List.of(
            Column.named(), Column.number("Validations"), Column.text("ParamKind"), Column.age()),
        (object, now) ->
            List.of(
                Cells.name(object),
                object.path("spec").path("validations").size(),
                "<unset>",
                Ages.age(object, now)));
  }

  static TableFormat admissionPolicyBindings() {
    return new TableFormat(
        List.of(Column.named(), Column.text("PolicyName"), Column.text("ParamRef"), Column.age()),
        (object, now) ->
            List.of(
                Cells.name(object),
                object.path("spec").path("policyName").asText(),
                "<unset>",
                Ages.age(object, now)));
  }

  static TableFormat services() {
    return new TableFormat(
        List.of(
            Column.named(),
            Column.text("Type"),
            Column.text("Cluster-IP"),
            Column.text("External-IP"),
            Column.text("Port(s)"),
            Column.age(),
            Column.wide("Selector")),
        (object, now) -> {
          JsonNode spec = object.path("spec");
          StringJoiner ports = new StringJoiner(",");
          for (JsonNode port : spec.path("ports")) {
            String nodePort =
                port.path("nodePort").asInt() > 0 ? ":" + port.path("nodePort").asInt() : "";
            ports.add(
                port.path("port").asInt() + nodePort + "/" + port.path("protocol").asText("TCP"));
          }
          return List.of(
              Cells.name(object),
              spec.path("type").asText(),
              spec.path("clusterIP").asText(Cells.NONE),
              spec.path("externalName").asText(Cells.NONE),
              Cells.orNone(ports.toString()),
              Ages.age(object, now),
              Cells.labels(spec.path("selector")));
        });
  }
}

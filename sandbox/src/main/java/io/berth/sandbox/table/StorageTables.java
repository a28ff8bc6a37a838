package io.berth.sandbox.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** The table formats of claims, volumes, and StorageClasses. */
final class StorageTables {
  private static final String UNSET = "<unset>";
  private static final String IS_DEFAULT = "storageclass.kubernetes.io/is-default-class";

  private static final Map<String, String> ACCESS_MODES =
      Map.of(
          "ReadWriteOnce",
          "RWO",
          "ReadOnlyMany",
          "ROX",
          "ReadWriteMany",
          "RWX",
          "ReadWriteOncePod",
          "RWOP");

  private StorageTables() {}

  static TableFormat claims() {
    return new TableFormat(
        List.of(
            Column.named(),
            Column.text("Status"),
            Column.text("Volume"),
            Column.text("Capacity"),
            Column.text("Access Modes"),
            Column.text("StorageClass"),
            Column.text("VolumeAttributesClass"),
            Column.age(),
            Column.wide("VolumeMode")),
        (object, now) -> {
          JsonNode spec = object.path("spec");
          JsonNode status = object.path("status");
          String volume = spec.path("volumeName").asText();
          return List.of(
              Cells.name(object),
              phase(object),
              volume,
              volume.isEmpty() ? "" : status.path("capacity").path("storage").asText(),
              volume.isEmpty() ? "" : modes(status.path("accessModes")),
              spec.path("storageClassName").asText(),
              spec.path("volumeAttributesClassName").asText(UNSET),
              Ages.age(object, now),
              spec.path("volumeMode").asText(UNSET));
        });
  }

  static TableFormat volumes() {
    return new TableFormat(
        List.of(
            Column.named(),
            Column.text("Capacity"),
            Column.text("Access Modes"),
            Column.text("Reclaim Policy"),
            Column.text("Status"),
            Column.text("Claim"),
            Column.text("StorageClass"),
            Column.text("VolumeAttributesClass"),
            Column.text("Reason"),
            Column.age(),
            Column.wide("VolumeMode")),
        (object, now) -> {
          JsonNode spec = object.path("spec");
          JsonNode claim = spec.path("claimRef");
          return List.of(
              Cells.name(object),
              spec.path("capacity").path("storage").asText(),
              modes(spec.path("accessModes")),
              spec.path("persistentVolumeReclaimPolicy").asText(),
              phase(object),
              claim.isObject()
                  ? claim.path("namespace").asText() + "/" + claim.path("name").asText()
                  : "",
              spec.path("storageClassName").asText(),
              spec.path("volumeAttributesClassName").asText(UNSET),
              object.path("status").path("reason").asText(),
              Ages.age(object, now),
              spec.path("volumeMode").asText(UNSET));
        });
  }

  static TableFormat classes() {
    return new TableFormat(
        List.of(
            Column.named(),
            Column.text("Provisioner"),
            Column.text("ReclaimPolicy"),
            Column.text("VolumeBindingMode"),
            new Column("AllowVolumeExpansion", "boolean", "", "Whether volumes may grow", 0),
            Column.age()),
        (object, now) -> {
          boolean isDefault =
              object.path("metadata").path("annotations").path(IS_DEFAULT).asText().equals("true");
          return List.of(
              Cells.name(object) + (isDefault ? " (default)" : ""),
              object.path("provisioner").asText(),
              object.path("reclaimPolicy").asText("Delete"),
              object.path("volumeBindingMode").asText("Immediate"),
              object.path("allowVolumeExpansion").asBoolean(),
              Ages.age(object, now));
        });
  }

  private static String phase(JsonNode object) {
    return object.path("metadata").has("deletionTimestamp")
        ? "Terminating"
        : object.path("status").path("phase").asText();
  }

  private static String modes(JsonNode modes) {
    StringJoiner joined = new StringJoiner(",");
    modes.forEach(mode -> joined.add(ACCESS_MODES.getOrDefault(mode.asText(), mode.asText())));
    return joined.toString();
  }
}

package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The rules of PersistentVolumes and PersistentVolumeClaims: defaults and the initial phase. */
final class VolumeRules implements KindRules {
  private final String phase;

  VolumeRules(String phase) {
    this.phase = phase;
  }

  @Override
  public void prepareForCreate(ObjectNode object) {
    object.withObjectProperty("status").put("phase", phase);
  }

  @Override
  public void applyDefaults(ObjectNode object) {
    Defaults.text(object.withObjectProperty("spec"), "volumeMode", "Filesystem");
    if (object.path("kind").asText().equals("PersistentVolume")) {
      Defaults.text(object.withObjectProperty("spec"), "persistentVolumeReclaimPolicy", "Retain");
    }
  }
}

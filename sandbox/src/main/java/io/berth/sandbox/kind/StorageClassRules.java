package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The rules of StorageClasses. */
final class StorageClassRules implements KindRules {
  @Override
  public void applyDefaults(ObjectNode storageClass) {
    Defaults.text(storageClass, "reclaimPolicy", "Delete");
    Defaults.text(storageClass, "volumeBindingMode", "Immediate");
  }
}

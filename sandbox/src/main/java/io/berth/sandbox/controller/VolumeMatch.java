package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.quantity.Amount;
import io.berth.sandbox.selector.LabelSelector;
import io.berth.sandbox.store.StoredObject;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Matching of volumes to claims. */
final class VolumeMatch {
  static final String ZONE = "topology.kubernetes.io/zone";

  private VolumeMatch() {}

  /** Returns the StorageClass name of a claim or a volume; empty if it has none. */
  static String className(JsonNode object) {
    return object
        .path("metadata")
        .path("annotations")
        .path("volume.beta.kubernetes.io/storage-class")
        .asText(object.path("spec").path("storageClassName").asText());
  }

  /** Returns whether a volume is reserved for a claim by its {@code claimRef}. */
  static boolean isKeptFor(JsonNode volume, StoredObject claim) {
    JsonNode reference = volume.path("spec").path("claimRef");
    String uid = reference.path("uid").asText();
    return reference.path("namespace").asText().equals(claim.key().namespace())
        && reference.path("name").asText().equals(claim.key().name())
        && (uid.isEmpty() || uid.equals(claim.uid()));
  }

  /** Returns whether a volume is unreserved or reserved for this claim. */
  static boolean isFreeFor(JsonNode volume, StoredObject claim) {
    return !volume.path("spec").path("claimRef").isObject() || isKeptFor(volume, claim);
  }

  /** Returns the smallest unreserved volume that satisfies a claim. */
  static Optional<StoredObject> smallest(List<StoredObject> volumes, StoredObject claim) {
    return volumes.stream()
        .filter(volume -> !volume.json().path("spec").path("claimRef").isObject())
        .filter(volume -> !Pods.isDeleted(volume.json()))
        .filter(volume -> fits(volume, claim.json()))
        .min(
            Comparator.comparing((StoredObject volume) -> capacity(volume.json()))
                .thenComparing(StoredObject::key));
  }

  private static boolean fits(StoredObject volume, JsonNode claim) {
    JsonNode has = volume.json().path("spec");
    JsonNode wants = claim.path("spec");
    JsonNode selector = wants.path("selector");
    return className(volume.json()).equals(className(claim))
        && has.path("volumeMode").asText().equals(wants.path("volumeMode").asText())
        && texts(has.path("accessModes")).containsAll(texts(wants.path("accessModes")))
        && capacity(volume.json()).compareTo(requested(claim)) >= 0
        && (!selector.isObject() || LabelSelector.ofObject(selector).matches(volume.labels()));
  }

  private static Amount capacity(JsonNode volume) {
    return Amount.read(volume.path("spec").path("capacity").path("storage")).orElse(Amount.ZERO);
  }

  private static Amount requested(JsonNode claim) {
    return Amount.read(claim.path("spec").path("resources").path("requests").path("storage"))
        .orElse(Amount.ZERO);
  }

  private static Set<String> texts(JsonNode list) {
    Set<String> texts = new HashSet<>();
    list.forEach(text -> texts.add(text.asText()));
    return texts;
  }

  /** Restricts a volume to the nodes of a zone. */
  static void restrictToZone(ObjectNode volumeSpec, String zone) {
    volumeSpec
        .putObject("nodeAffinity")
        .putObject("required")
        .putArray("nodeSelectorTerms")
        .addObject()
        .putArray("matchExpressions")
        .addObject()
        .put("key", ZONE)
        .put("operator", "In")
        .putArray("values")
        .add(zone);
  }
}

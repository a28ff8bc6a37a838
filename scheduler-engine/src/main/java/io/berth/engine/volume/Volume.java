package io.berth.engine.volume;

import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.StorageObject;
import io.berth.engine.quantity.ExactQuantity;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A PersistentVolume.
 *
 * @param claim the claim that it is bound to or reserved for; absent if it is free
 * @param available whether its phase is Available
 * @param nodeTerms terms of which a node must satisfy at least one to reach it; absent if every
 *     node does
 * @param csiNodeTerms the same for nodes that have migrated its plugin to CSI
 * @param driver the CSI driver, or the in-tree plugin ({@code kubernetes.io/aws-ebs}) that a node
 *     may have migrated to CSI; empty for volumes of other kinds
 * @param handle the CSI driver's handle
 */
public record Volume(
    String name,
    Map<String, String> labels,
    Optional<ClaimRef> claim,
    String storageClass,
    ExactQuantity capacity,
    String volumeMode,
    Set<String> accessModes,
    boolean available,
    boolean terminating,
    Optional<List<NodeTerm>> nodeTerms,
    Optional<List<NodeTerm>> csiNodeTerms,
    String driver,
    String handle,
    String attributesClass)
    implements StorageObject {

  /** The kind, as in the API. */
  public static final String KIND = "PersistentVolume";

  /** A volume's reference to its claim; the UID is empty if the claim did not exist yet. */
  public record ClaimRef(String namespace, String name, String uid) {}

  public Volume {
    labels = Map.copyOf(labels);
    accessModes = Set.copyOf(accessModes);
    nodeTerms = nodeTerms.map(List::copyOf);
    csiNodeTerms = csiNodeTerms.map(List::copyOf);
  }

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public String namespace() {
    return "";
  }

  /** Returns whether it is bound to, or reserved for, this claim. */
  public boolean isFor(VolumeClaim wanted) {
    if (claim.isEmpty()) {
      return false;
    }
    ClaimRef ref = claim.get();
    return ref.name().equals(wanted.name())
        && ref.namespace().equals(wanted.namespace())
        && (ref.uid().isEmpty() || ref.uid().equals(wanted.uid()));
  }

  /**
   * Returns whether nodes with these labels reach it. Only label requirements of its terms apply;
   * those on other fields are ignored.
   */
  boolean isReachableFrom(Map<String, String> nodeLabels) {
    return satisfyAny(nodeTerms, nodeLabels);
  }

  /** Returns whether the volume has no node affinity, whether or not its plugin is migrated. */
  boolean isReachableFromEverywhere() {
    return nodeTerms.isEmpty() && csiNodeTerms.isEmpty();
  }

  /** Returns the same for a node that may have migrated the volume's plugin to CSI. */
  boolean isReachableFrom(Map<String, String> nodeLabels, Optional<CsiNode> drivers) {
    boolean moved = drivers.isPresent() && drivers.get().migratedPlugins().contains(driver);
    return satisfyAny(moved ? csiNodeTerms : nodeTerms, nodeLabels);
  }

  private static boolean satisfyAny(
      Optional<List<NodeTerm>> terms, Map<String, String> nodeLabels) {
    return terms.isEmpty() || terms.get().stream().anyMatch(term -> isSatisfied(term, nodeLabels));
  }

  private static boolean isSatisfied(NodeTerm term, Map<String, String> nodeLabels) {
    return !term.isEmpty()
        && !term.malformed()
        && term.expressions().stream().allMatch(requirement -> requirement.matches(nodeLabels));
  }

  /** Returns the same volume, reserved for this claim. */
  Volume withClaim(ClaimRef ref) {
    return new Volume(
        name,
        labels,
        Optional.of(ref),
        storageClass,
        capacity,
        volumeMode,
        accessModes,
        available,
        terminating,
        nodeTerms,
        csiNodeTerms,
        driver,
        handle,
        attributesClass);
  }
}

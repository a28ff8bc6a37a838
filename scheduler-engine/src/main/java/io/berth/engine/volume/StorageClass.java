package io.berth.engine.volume;

import io.berth.engine.model.Requirement;
import io.berth.engine.model.StorageObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A StorageClass.
 *
 * @param provisioner empty if it has none
 * @param waitsForConsumer whether volumes are bound only when a pod that uses them is placed;
 *     absent if it is not set
 * @param allowedTopologies terms of which a node must satisfy at least one for a volume to be
 *     provisioned for it; empty if every node is allowed
 */
public record StorageClass(
    String name,
    String provisioner,
    Optional<Boolean> waitsForConsumer,
    List<List<Requirement>> allowedTopologies)
    implements StorageObject {

  /** The kind, as in the API. */
  public static final String KIND = "StorageClass";

  /** The provisioner of classes whose volumes are all created manually. */
  public static final String NO_PROVISIONER = "kubernetes.io/no-provisioner";

  public StorageClass {
    allowedTopologies = List.copyOf(allowedTopologies);
  }

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public String namespace() {
    return "";
  }

  /** Returns whether volumes can be provisioned for nodes with these labels. */
  boolean allows(Map<String, String> nodeLabels) {
    return allowedTopologies.isEmpty()
        || allowedTopologies.stream()
            .anyMatch(
                term ->
                    !term.isEmpty()
                        && term.stream().allMatch(requirement -> requirement.matches(nodeLabels)));
  }
}

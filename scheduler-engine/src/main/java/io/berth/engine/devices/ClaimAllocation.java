package io.berth.engine.devices;

import io.berth.engine.model.PreBindStep;
import java.util.List;
import java.util.Optional;

/**
 * The step that writes the devices of one claim before its pod is bound, and reserves the claim for
 * the pod.
 *
 * @param claimName the name of the claim; empty for the claim that is still to be created for the
 *     pod's extended resources
 * @param claimUid the UID of the claim that the decision was based on; empty if it is still to be
 *     created
 * @param allocation the devices; absent if the claim has some, and is only reserved
 * @param extended what the claim for extended resources asks for; absent for other claims
 */
public record ClaimAllocation(
    String namespace,
    String claimName,
    String claimUid,
    Optional<DeviceAllocation> allocation,
    Optional<ExtendedClaim> extended)
    implements PreBindStep {

  /**
   * The claim that is created for a pod's extended resources.
   *
   * @param mappings the requests that serve each container's resources
   */
  public record ExtendedClaim(List<DeviceRequest> requests, List<Mapping> mappings) {
    public ExtendedClaim {
      requests = List.copyOf(requests);
      mappings = List.copyOf(mappings);
    }
  }

  /**
   * A request that serves a resource of a container.
   *
   * @param container the index of the container among the init containers and the containers
   */
  public record Mapping(int container, String resource, String request) {}
}

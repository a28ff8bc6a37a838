package io.berth.engine.devices;

import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeTerm;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The devices of a claim.
 *
 * @param config the parameters for drivers, from classes and from the claim
 * @param nodes selects the nodes on which the devices can be used; absent if all can
 */
public record DeviceAllocation(
    List<Result> results, List<Config> config, Optional<List<NodeTerm>> nodes) {
  public DeviceAllocation {
    results = List.copyOf(results);
    config = List.copyOf(config);
  }

  /** Returns whether the devices can be used on the node. */
  public boolean reaches(NodeModel node) {
    return nodes.isEmpty() || nodes.get().stream().anyMatch(term -> term.matches(node));
  }

  /**
   * A device for a request.
   *
   * @param request the name of the request, or {@code request/subrequest}
   * @param tolerations the tolerations of the request
   * @param shareId identifies the part of a shared device; absent for a whole device
   * @param consumed the amounts of a shared device's capacities
   */
  public record Result(
      String request,
      DeviceId device,
      boolean adminAccess,
      List<DeviceToleration> tolerations,
      Optional<String> shareId,
      Map<String, BigDecimal> consumed,
      List<String> bindingConditions,
      List<String> bindingFailureConditions) {
    public Result {
      tolerations = List.copyOf(tolerations);
      consumed = Map.copyOf(consumed);
      bindingConditions = List.copyOf(bindingConditions);
      bindingFailureConditions = List.copyOf(bindingFailureConditions);
    }
  }

  /**
   * Parameters for drivers.
   *
   * @param fromClass whether they are from a class, or else from the claim
   * @param opaque the member {@code opaque} as JSON; empty if there is none
   */
  public record Config(boolean fromClass, List<String> requests, String opaque) {
    public Config {
      requests = List.copyOf(requests);
    }
  }
}

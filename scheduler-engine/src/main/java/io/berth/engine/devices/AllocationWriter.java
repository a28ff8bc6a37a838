package io.berth.engine.devices;

import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.Requirement;
import io.berth.rules.label.LabelOperator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes the result of a search as the allocations of the claims. */
final class AllocationWriter {
  private final NodeDevices node;
  private final List<ClaimToAllocate> claims;
  private final AskedDevices[][][] asked;
  private final int[][] selected;
  private final List<List<ChosenDevice>> chosen;

  AllocationWriter(
      NodeDevices node,
      List<ClaimToAllocate> claims,
      AskedDevices[][][] asked,
      int[][] selected,
      List<List<ChosenDevice>> chosen) {
    this.node = node;
    this.claims = claims;
    this.asked = asked;
    this.selected = selected;
    this.chosen = chosen;
  }

  DeviceOutcome write() {
    List<DeviceAllocation> allocations = new ArrayList<>(claims.size());
    for (int claim = 0; claim < claims.size(); claim++) {
      List<NodeTerm> terms = List.of();
      for (ChosenDevice device : chosen.get(claim)) {
        if (reachOf(device) instanceof DeviceReach.SelectedNodes(List<NodeTerm> of)
            && of.size() > 1
            && terms.isEmpty()) {
          terms = of;
        }
      }
      boolean local = chosen.get(claim).stream().anyMatch(this::isLocal);
      if (!local && !terms.isEmpty()) {
        return DeviceOutcome.error(
            "create NodeSelector for claim %s: unsupported ResourceSlice.NodeSelector with %d terms"
                .formatted(claims.get(claim).name(), terms.size()));
      }
      allocations.add(
          new DeviceAllocation(results(claim), config(claim), local ? thisNode() : nodes(claim)));
    }
    return new DeviceOutcome.Allocated(allocations);
  }

  private List<DeviceAllocation.Result> results(int claim) {
    List<DeviceAllocation.Result> results = new ArrayList<>();
    for (ChosenDevice device : chosen.get(claim)) {
      KnownDevice known = node.device(device.device());
      AskedDevices asks = device.asks();
      results.add(
          new DeviceAllocation.Result(
              asks.resultName(),
              known.id(),
              asks.ask().adminAccess(),
              asks.ask().tolerations(),
              known.device().shared() ? Optional.of("") : Optional.empty(),
              device.consumed(),
              known.device().bindingConditions(),
              known.device().bindingFailureConditions()));
    }
    return results;
  }

  // ---------------------------------------------------------------------------------- parameters

  private record Range(int from, int to) {}

  private List<DeviceAllocation.Config> config(int claim) {
    List<DeviceAllocation.Config> config = new ArrayList<>();
    Map<String, Range> ofClass = new HashMap<>();
    for (int request = 0; request < asked[claim].length; request++) {
      AskedDevices asks = asked[claim][request][selected[claim][request]];
      Range known = ofClass.get(asks.deviceClass().name());
      if (known != null) {
        for (int i = known.from(); i < known.to(); i++) {
          List<String> requests = new ArrayList<>(config.get(i).requests());
          requests.add(asks.resultName());
          config.set(i, new DeviceAllocation.Config(true, requests, config.get(i).opaque()));
        }
        continue;
      }
      int from = config.size();
      for (DeviceConfig of : asks.deviceClass().config()) {
        config.add(new DeviceAllocation.Config(true, List.of(asks.resultName()), of.opaque()));
      }
      ofClass.put(asks.deviceClass().name(), new Range(from, config.size()));
    }
    for (DeviceConfig of : claims.get(claim).spec().config()) {
      addClaimConfig(claim, of, config);
    }
    return config;
  }

  private void addClaimConfig(int claim, DeviceConfig of, List<DeviceAllocation.Config> config) {
    DeviceAllocation.Config added = new DeviceAllocation.Config(false, of.requests(), of.opaque());
    if (of.requests().isEmpty()) {
      config.add(added);
      return;
    }
    for (int request = 0; request < asked[claim].length; request++) {
      AskedDevices asks = asked[claim][request][selected[claim][request]];
      if (of.requests().contains(asks.request().name())
          || of.requests().contains(asks.resultName())) {
        config.add(added);
      }
    }
  }

  // ---------------------------------------------------------------------------------- nodes

  private DeviceReach reachOf(ChosenDevice device) {
    KnownDevice known = node.device(device.device());
    return known.slice().reachOf(known.device());
  }

  private boolean isLocal(ChosenDevice device) {
    return reachOf(device) instanceof DeviceReach.OneNode
        || node.device(device.device()).device().bindsToNode();
  }

  private Optional<List<NodeTerm>> thisNode() {
    Requirement name =
        new Requirement("metadata.name", LabelOperator.IN, List.of(node.node().name()));
    return Optional.of(List.of(new NodeTerm(List.of(), List.of(name), false)));
  }

  private Optional<List<NodeTerm>> nodes(int claim) {
    List<Requirement> expressions = new ArrayList<>();
    List<Requirement> fields = new ArrayList<>();
    for (ChosenDevice device : chosen.get(claim)) {
      if (reachOf(device) instanceof DeviceReach.SelectedNodes(List<NodeTerm> terms)
          && !terms.isEmpty()) {
        addNew(terms.getFirst().fields(), fields);
        addNew(terms.getFirst().expressions(), expressions);
      }
    }
    return expressions.isEmpty() && fields.isEmpty()
        ? Optional.empty()
        : Optional.of(List.of(new NodeTerm(expressions, fields, false)));
  }

  private static void addNew(List<Requirement> from, List<Requirement> to) {
    for (Requirement requirement : from) {
      if (!to.contains(requirement)) {
        to.add(requirement);
      }
    }
  }
}

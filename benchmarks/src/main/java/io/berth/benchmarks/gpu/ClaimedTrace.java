package io.berth.benchmarks.gpu;

import io.berth.benchmarks.gpu.GpuTrace.TracePod;
import io.berth.engine.devices.ClaimSpec;
import io.berth.engine.devices.Device;
import io.berth.engine.devices.DeviceAsk;
import io.berth.engine.devices.DeviceAttribute;
import io.berth.engine.devices.DeviceCapacity;
import io.berth.engine.devices.DeviceClaim;
import io.berth.engine.devices.DeviceClass;
import io.berth.engine.devices.DeviceRequest;
import io.berth.engine.devices.DeviceSlice;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.fixtures.Slices;
import io.berth.engine.model.Card;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodClaim;
import io.berth.engine.model.PodDevices;
import io.berth.engine.model.PodModel;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A trace in terms of dynamic resource allocation: each card is a device that claims can share by
 * the capacity {@value #SHARE} of 1000, and each pod with GPU has a claim of its own.
 */
final class ClaimedTrace {
  private static final String DRIVER = "gpu.example.com";
  private static final String CLASS = "gpu";
  private static final String SHARE = "share";
  private static final String NAMESPACE = "default";

  private ClaimedTrace() {}

  static DeviceClass deviceClass() {
    return new DeviceClass(
        CLASS,
        Instant.EPOCH,
        List.of("device.driver == '%s'".formatted(DRIVER)),
        List.of(),
        Optional.empty());
  }

  /** Returns the node without cards: its devices say what it has. */
  static NodeModel node(NodeModel node) {
    return Nodes.from(node).cards(CardInventory.none()).build();
  }

  /** Returns the slice of a node. */
  static DeviceSlice slice(NodeModel node) {
    List<Device> devices = new ArrayList<>();
    for (Card card : node.cards().cards()) {
      devices.add(
          Device.of(
              "gpu-%02d".formatted(devices.size()),
              Map.of(DRIVER + "/model", new DeviceAttribute.Text(card.model())),
              Map.of(
                  DRIVER + "/" + SHARE,
                  new DeviceCapacity(BigDecimal.valueOf(Card.MILLI_CORES), Optional.empty())),
              List.of(),
              true));
    }
    return Slices.ofNode(DRIVER, node.name(), "gpus", 1, devices, List.of());
  }

  /** Returns the claim of a pod; absent if it needs no GPU. */
  static Optional<DeviceClaim> claim(TracePod pod, PodModel model) {
    if (pod.cards() == 0) {
      return Optional.empty();
    }
    DeviceAsk ask =
        new DeviceAsk(
            "gpus",
            CLASS,
            DeviceAsk.EXACT_COUNT,
            pod.cards(),
            false,
            pod.models().isEmpty() ? List.of() : List.of(selector(pod.models())),
            List.of(),
            Map.of(DRIVER + "/" + SHARE, BigDecimal.valueOf(pod.milliGpu())));
    return Optional.of(
        new DeviceClaim(
            NAMESPACE,
            model.ref().name() + "-gpus",
            "uid-claim-" + model.ref().name(),
            false,
            model.ref().uid(),
            false,
            new ClaimSpec(
                List.of(new DeviceRequest("gpus", false, List.of(ask))), List.of(), List.of()),
            Optional.empty(),
            Optional.empty(),
            DeviceClaim.Readiness.READY,
            Set.of()));
  }

  private static String selector(Set<String> models) {
    return new TreeSet<>(models)
        .stream()
            .map("'%s'"::formatted)
            .collect(
                Collectors.joining(
                    ", ", "device.attributes['%s'].model in [".formatted(DRIVER), "]"));
  }

  /** Returns the pod with this claim instead of its request for cards. */
  static PodModel pod(PodModel model, DeviceClaim claim) {
    return Pods.from(model)
        .devices(
            new PodDevices(
                List.of(new PodClaim.FromTemplate(claim.name(), model.ref())), List.of()))
        .build();
  }
}

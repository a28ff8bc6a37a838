package io.berth.engine.devices;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.journal.Journal;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodClaim;
import io.berth.engine.model.PodDevices;
import io.berth.engine.model.ResourceAmounts;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import java.util.ArrayList;
import java.util.List;

/** A table of devices on which claims are planned, described in JSON with single quotes. */
final class DeviceObjects {
  private static final ObjectMapper JSON = new ObjectMapper();

  final DeviceTable table =
      new DeviceTable(
          new Journal(),
          new DeviceChanges() {
            @Override
            public void onNode(String nodeName) {
              // Nothing is remembered here.
            }

            @Override
            public void onAllNodes() {
              // Nothing is remembered here.
            }
          },
          () -> Long.MAX_VALUE);
  private final List<PodClaim> claims = new ArrayList<>();

  DeviceObjects() {
    deviceClass("gpu", "device.driver == 'gpu.example.com'");
  }

  private static <T> T read(String json, Class<T> type) {
    try {
      return JSON.readValue(json.replace('\'', '"'), type);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(json, e);
    }
  }

  private void put(HasMetadata object) {
    ClusterEvent event = new KubeEvents().upserted(object);
    if (!(event instanceof ClusterEvent.DevicesUpserted upserted)) {
      throw new IllegalArgumentException(event.toString());
    }
    table.put(upserted.object());
  }

  /** Adds a class of the devices that a CEL expression selects. */
  DeviceObjects deviceClass(String name, String expression) {
    table.put(
        new DeviceClass(
            name,
            java.time.Instant.EPOCH,
            List.of(expression),
            List.of(),
            java.util.Optional.empty()));
    return this;
  }

  /**
   * Adds a slice of the driver gpu.example.com.
   *
   * @param spec the members of its spec without the driver
   */
  DeviceObjects slice(String name, String spec) {
    put(
        read(
            "{'metadata':{'name':'%s'},'spec':{'driver':'gpu.example.com',%s}}"
                .formatted(name, spec),
            ResourceSlice.class));
    return this;
  }

  /** Adds the only slice of a pool of the node n1, which has the name of the node. */
  DeviceObjects devices(String devices) {
    return slice(
        "s1",
        "'nodeName':'n1','pool':{'name':'n1','generation':1,'resourceSliceCount':1},'devices':["
            + devices
            + "]");
  }

  /** Adds a claim of another pod, with its status. */
  DeviceObjects allocated(String name, String results) {
    put(
        read(
            ("{'metadata':{'name':'%s','namespace':'team','uid':'uid-%s'},'spec':{'devices':{}},"
                    + "'status':{'allocation':{'devices':{'results':[%s]}}}}")
                .formatted(name, name, results),
            ResourceClaim.class));
    return this;
  }

  /** Adds a claim of the pod. */
  DeviceObjects claim(String name, String devices) {
    put(
        read(
            "{'metadata':{'name':'%s','namespace':'team','uid':'uid-%s'},'spec':{'devices':{%s}}}"
                .formatted(name, name, devices),
            ResourceClaim.class));
    claims.add(new PodClaim.Named(name));
    return this;
  }

  static NodeModel node(String name, String labels) {
    Node node =
        read(
            ("{'metadata':{'name':'%s','uid':'u','labels':{%s}},'spec':{},"
                    + "'status':{'allocatable':{'cpu':'1'}}}")
                .formatted(name, labels),
            Node.class);
    return ((ClusterEvent.NodeUpserted) new KubeEvents().upserted(node)).node();
  }

  DevicePlanner.Plan planOn(NodeModel node) {
    return new DevicePlanner(
            "team", new PodDevices(claims, List.of()), ResourceAmounts.none(), table)
        .planFor(node);
  }

  /** Returns the devices that the pod gets on n1, or the reason why it gets none. */
  String plan() {
    return plan("n1");
  }

  /** Returns the devices that the pod gets on a node, or the reason why it gets none. */
  String plan(String nodeName) {
    return text(planOn(node(nodeName, "'zone':'a'")));
  }

  static String text(DevicePlanner.Plan plan) {
    if (plan.refusal().isPresent()) {
      return plan.refusal().get().reason();
    }
    List<String> devices = new ArrayList<>();
    for (DeviceAllocation allocation : plan.allocations()) {
      for (DeviceAllocation.Result result : allocation.results()) {
        devices.add(result.request() + "=" + result.device().device());
      }
    }
    return String.join(" ", devices);
  }
}

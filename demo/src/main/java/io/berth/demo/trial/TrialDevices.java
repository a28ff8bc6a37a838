package io.berth.demo.trial;

import io.berth.demo.history.ObservedStates;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClassBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplateBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSliceBuilder;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The devices of a trial: two on each node, of which a pod uses one by a claim of its own. */
final class TrialDevices {
  private static final int ON_A_NODE = 2;
  private static final String TEMPLATE = "one-device";
  private static final String DEVICE = "device";

  private TrialDevices() {}

  private static String driver(TrialGround ground) {
    return "trial-" + ground.id() + ".berth.io";
  }

  /** Returns the class of the devices, and the template of claims for one. */
  static List<HasMetadata> classAndTemplate(TrialGround ground) {
    return List.of(
        new DeviceClassBuilder()
            .withNewMetadata()
            .withName(driver(ground))
            .endMetadata()
            .withNewSpec()
            .addNewSelector()
            .withNewCel("device.driver == '" + driver(ground) + "'")
            .endSelector()
            .endSpec()
            .build(),
        new ResourceClaimTemplateBuilder()
            .withNewMetadata()
            .withName(TEMPLATE)
            .withNamespace(ground.namespace())
            .endMetadata()
            .withNewSpec()
            .withNewSpec()
            .withNewDevices()
            .addNewRequest()
            .withName(DEVICE)
            .withNewExactly()
            .withDeviceClassName(driver(ground))
            .endExactly()
            .endRequest()
            .endDevices()
            .endSpec()
            .endSpec()
            .build());
  }

  /** Returns the size of a node, with its devices for the rules of histories. */
  static Map<String, Quantity> with(Map<String, Quantity> size) {
    Map<String, Quantity> all = new TreeMap<>(size);
    all.put(ObservedStates.DEVICES, new Quantity(String.valueOf(ON_A_NODE)));
    return all;
  }

  /** Returns the slice with the devices of a node. */
  static ResourceSlice of(String node, TrialGround ground) {
    ResourceSliceBuilder slice =
        new ResourceSliceBuilder()
            .withNewMetadata()
            .withName(node)
            .endMetadata()
            .withNewSpec()
            .withDriver(driver(ground))
            .withNodeName(node)
            .withNewPool()
            .withName(node)
            .withGeneration(1L)
            .withResourceSliceCount(1L)
            .endPool()
            .endSpec();
    for (int i = 0; i < ON_A_NODE; i++) {
      slice.editSpec().addNewDevice().withName("device-" + i).endDevice().endSpec();
    }
    return slice.build();
  }

  /** Lets a pod use a device. */
  static void use(PodBuilder pod) {
    pod.editMetadata().addToAnnotations(ObservedStates.DEVICES, "1").endMetadata();
    pod.editSpec()
        .addNewResourceClaim()
        .withName(DEVICE)
        .withResourceClaimTemplateName(TEMPLATE)
        .endResourceClaim()
        .editFirstContainer()
        .editResources()
        .addNewClaim()
        .withName(DEVICE)
        .endClaim()
        .endResources()
        .endContainer()
        .endSpec();
  }
}

package io.berth.demo.tenants;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Annotations;
import java.util.List;
import java.util.Random;

/**
 * The pods that use devices by resource claims: claims of their own from a template, claims that
 * several pods share, and claims that are made for an extended resource.
 */
final class TenantClaims {
  private static final String CLAIM = "ResourceClaim";
  private static final String TEMPLATE = "ResourceClaimTemplate";
  private static final String GPUS = "gpus";

  private final SharedCluster cluster;
  private final TenantLimits limits;

  TenantClaims(SharedCluster cluster, TenantLimits limits) {
    this.cluster = cluster;
    this.limits = limits;
  }

  /** Creates pods that use devices. */
  void create(int number, Stretch stretch, Random random) {
    if (cluster.all("Pod").size() > limits.pods()) {
      return;
    }
    String namespace = stretch.namespace(random);
    switch (random.nextInt(5)) {
      case 0 -> share(namespace, number, random);
      case 1 -> extend(namespace, number, random);
      default -> ofTemplate(namespace, number, random);
    }
  }

  /** Deletes a claim that pods share, or the template of pods that may still wait. */
  void delete(Random random) {
    List<ObjectNode> all = cluster.all(random.nextInt(3) == 0 ? TEMPLATE : CLAIM);
    if (!all.isEmpty()) {
      cluster.delete(ObjectKey.of(all.get(random.nextInt(all.size()))));
    }
  }

  /** Creates pods with a claim each, alone or as a group, before or after their template. */
  private void ofTemplate(String namespace, int number, Random random) {
    String name = "devices-" + number;
    ObjectNode template = TenantDevices.object(TEMPLATE, namespace, name);
    template.putObject("spec").set("spec", claimSpec(random));
    boolean late = random.nextInt(4) == 0;
    if (!late) {
      cluster.create(template);
    }
    boolean together = random.nextInt(3) == 0;
    int replicas = random.nextInt(1, 7);
    int seconds = seconds(random);
    int priority = priority(random);
    for (int i = 0; i < replicas; i++) {
      ObjectNode pod = pod(namespace, "claims-" + number + "-" + i, seconds, priority, random);
      reference(pod, "resourceClaimTemplateName", name);
      if (together) {
        group(pod, "claims-" + number, replicas);
      }
      cluster.create(pod);
    }
    if (late) {
      cluster.create(template);
    }
  }

  /** Creates pods that use the same claim, perhaps as a group. */
  private void share(String namespace, int number, Random random) {
    String name = "shared-" + number;
    ObjectNode claim = TenantDevices.object(CLAIM, namespace, name);
    claim.set("spec", claimSpec(random));
    cluster.create(claim);
    int pods = random.nextInt(1, 5);
    boolean together = random.nextInt(3) == 0;
    boolean impatient = random.nextInt(4) == 0;
    int seconds = seconds(random);
    int priority = priority(random);
    for (int i = 0; i < pods; i++) {
      ObjectNode pod = pod(namespace, "sharing-" + number + "-" + i, seconds, priority, random);
      reference(pod, "resourceClaimName", name);
      if (impatient) {
        pod.withObject("/metadata/annotations").put(Tenants.IMPATIENT, "true");
      }
      if (together) {
        group(pod, "sharing-" + number, pods);
      }
      cluster.create(pod);
    }
  }

  /** Creates pods that ask for devices as an extended resource. */
  private void extend(String namespace, int number, Random random) {
    int pods = random.nextInt(1, 6);
    int devices = 1 << random.nextInt(3);
    int seconds = seconds(random);
    int priority = priority(random);
    for (int i = 0; i < pods; i++) {
      ObjectNode pod = pod(namespace, "extended-" + number + "-" + i, seconds, priority, random);
      ObjectNode resources = (ObjectNode) pod.at("/spec/containers/0/resources");
      for (String list : List.of("/requests", "/limits")) {
        resources.withObject(list).put(TenantDevices.EXTENDED, String.valueOf(devices));
      }
      cluster.create(pod);
    }
  }

  private static int seconds(Random random) {
    return random.nextInt(3) > 0 ? random.nextInt(5, 120) : 0;
  }

  private static int priority(Random random) {
    return random.nextInt(3) == 0 ? random.nextInt(3) * 100 : 0;
  }

  private static ObjectNode pod(
      String namespace, String name, int seconds, int priority, Random random) {
    ObjectNode pod = TenantPods.pod(namespace, name, "100m", random);
    pod.withObject("/spec").put("priority", priority);
    ObjectNode annotations = pod.withObject("/metadata/annotations");
    if (random.nextInt(3) == 0) {
      annotations.put(Annotations.POLICY, TenantPolicies.GPU);
    }
    if (random.nextInt(6) == 0) {
      annotations.put(Tenants.IMPATIENT, "true");
    }
    if (seconds > 0) {
      annotations.put(Tenants.SECONDS, String.valueOf(seconds));
    }
    return pod;
  }

  private static void group(ObjectNode pod, String name, int minimum) {
    pod.withObject("/metadata/annotations")
        .put(Annotations.GROUP, name)
        .put(Annotations.GROUP_MIN, String.valueOf(minimum));
  }

  private static void reference(ObjectNode pod, String field, String name) {
    ObjectNode spec = pod.withObject("/spec");
    spec.putArray("resourceClaims").addObject().put("name", GPUS).put(field, name);
    ((ObjectNode) spec.at("/containers/0/resources"))
        .putArray("claims")
        .addObject()
        .put("name", GPUS);
  }

  /** Returns a request for 1, 2, or 4 devices, perhaps of one model, or within a group of links. */
  private static ObjectNode claimSpec(Random random) {
    ObjectNode spec = KubeObjects.create(CLAIM, "", "").putObject("spec");
    ObjectNode devices = spec.putObject("devices");
    ObjectNode request = devices.putArray("requests").addObject().put("name", GPUS);
    ObjectNode exactly = request.putObject("exactly");
    exactly.put("deviceClassName", TenantDevices.CLASS).put("allocationMode", "ExactCount");
    exactly.put("count", 1 << random.nextInt(3));
    if (random.nextInt(3) == 0) {
      String model = TenantDevices.MODELS.get(random.nextInt(TenantDevices.MODELS.size()));
      TenantDevices.select(
          exactly, "device.attributes['%s'].model == '%s'".formatted(TenantDevices.CLASS, model));
    }
    if (random.nextInt(3) == 0) {
      devices
          .putArray("constraints")
          .addObject()
          .put("matchAttribute", TenantDevices.CLASS + "/link")
          .putArray("requests")
          .add(GPUS);
    }
    return spec;
  }
}

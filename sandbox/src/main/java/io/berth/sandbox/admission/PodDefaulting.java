package io.berth.sandbox.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.quota.QosClass;
import java.util.Map;

/** The defaults of pods and pod templates, as the v1 API defines them. */
public final class PodDefaulting implements PodDefaults {
  private static final int FILE_MODE = 0644;
  private static final int TOKEN_SECONDS = 3600;

  @Override
  public void applyToPod(ObjectNode pod) {
    ObjectNode spec = pod.withObject("spec");
    applyToSpec(spec);
    putIfAbsent(spec, "enableServiceLinks", true);
    containers(spec, PodDefaulting::requestsFromLimits);
    if (spec.has("resources")) {
      requestsFromLimits(spec);
    }
    applyStatus(pod, spec);
  }

  @Override
  public void applyToTemplate(ObjectNode template) {
    template.withObject("metadata");
    applyToSpec(template.withObject("spec"));
  }

  private static void applyStatus(ObjectNode pod, ObjectNode spec) {
    ObjectNode status = pod.withObject("status");
    putIfAbsent(status, "phase", "Pending");
    if (!status.has("qosClass")) {
      status.put("qosClass", QosClass.of(spec));
    }
    if (!spec.path("schedulingGates").isEmpty() && status.path("conditions").isEmpty()) {
      status
          .putArray("conditions")
          .addObject()
          .put("lastProbeTime", (String) null)
          .put("lastTransitionTime", (String) null)
          .put("message", "Scheduling is blocked due to non-empty scheduling gates")
          .put("reason", "SchedulingGated")
          .put("status", "False")
          .put("type", "PodScheduled");
    }
  }

  private static void applyToSpec(ObjectNode spec) {
    putIfAbsent(spec, "restartPolicy", "Always");
    putIfAbsent(spec, "dnsPolicy", "ClusterFirst");
    putIfAbsent(spec, "schedulerName", "default-scheduler");
    if (!spec.has("terminationGracePeriodSeconds")) {
      spec.put("terminationGracePeriodSeconds", 30);
    }
    if (!spec.has("securityContext")) {
      spec.putObject("securityContext");
    }
    boolean hostNetwork = spec.path("hostNetwork").asBoolean();
    containers(spec, container -> container(container, hostNetwork));
    for (JsonNode volume : spec.path("volumes")) {
      volume((ObjectNode) volume);
    }
  }

  /** An action applied to each container. */
  private interface ContainerStep {
    void apply(ObjectNode container);
  }

  private static void containers(ObjectNode spec, ContainerStep step) {
    for (String list : new String[] {"initContainers", "containers", "ephemeralContainers"}) {
      for (JsonNode container : spec.path(list)) {
        if (container instanceof ObjectNode object) {
          step.apply(object);
        }
      }
    }
  }

  private static void container(ObjectNode container, boolean hostNetwork) {
    putIfAbsent(container, "imagePullPolicy", pullPolicy(container.path("image").asText("")));
    putIfAbsent(container, "terminationMessagePath", "/dev/termination-log");
    putIfAbsent(container, "terminationMessagePolicy", "File");
    if (!container.has("resources")) {
      container.putObject("resources");
    }
    for (JsonNode node : container.path("ports")) {
      ObjectNode port = (ObjectNode) node;
      putIfAbsent(port, "protocol", "TCP");
      if (hostNetwork && !port.has("hostPort")) {
        port.set("hostPort", port.path("containerPort"));
      }
    }
    for (JsonNode env : container.path("env")) {
      if (env.at("/valueFrom/fieldRef") instanceof ObjectNode field) {
        putIfAbsent(field, "apiVersion", "v1");
      }
    }
    for (String probe : new String[] {"livenessProbe", "readinessProbe", "startupProbe"}) {
      if (container.get(probe) instanceof ObjectNode object) {
        probe(object);
      }
    }
    for (JsonNode hook : container.path("lifecycle")) {
      httpGet(hook);
    }
  }

  private static void httpGet(JsonNode handler) {
    if (handler.get("httpGet") instanceof ObjectNode http) {
      putIfAbsent(http, "path", "/");
      putIfAbsent(http, "scheme", "HTTP");
    }
  }

  private static String pullPolicy(String image) {
    String name = image.substring(image.lastIndexOf('/') + 1);
    boolean pinned = image.contains("@") || (name.contains(":") && !name.endsWith(":latest"));
    return pinned ? "IfNotPresent" : "Always";
  }

  private static void probe(ObjectNode probe) {
    putIfAbsent(probe, "timeoutSeconds", 1);
    putIfAbsent(probe, "periodSeconds", 10);
    putIfAbsent(probe, "successThreshold", 1);
    putIfAbsent(probe, "failureThreshold", 3);
    httpGet(probe);
    if (probe.get("grpc") instanceof ObjectNode grpc) {
      putIfAbsent(grpc, "service", "");
    }
  }

  private static void volume(ObjectNode volume) {
    if (volume.size() == 1 && volume.has("name")) {
      volume.putObject("emptyDir");
    }
    for (String source : new String[] {"secret", "configMap", "downwardAPI", "projected"}) {
      if (volume.get(source) instanceof ObjectNode object) {
        putIfAbsent(object, "defaultMode", FILE_MODE);
      }
    }
    if (volume.get("hostPath") instanceof ObjectNode path) {
      putIfAbsent(path, "type", "");
    }
    fields(volume.path("downwardAPI"));
    for (JsonNode source : volume.path("projected").path("sources")) {
      fields(source.path("downwardAPI"));
      if (source.get("serviceAccountToken") instanceof ObjectNode token) {
        putIfAbsent(token, "expirationSeconds", TOKEN_SECONDS);
      }
    }
    if (volume.at("/ephemeral/volumeClaimTemplate/spec") instanceof ObjectNode claim) {
      putIfAbsent(claim, "volumeMode", "Filesystem");
    }
    disks(volume);
  }

  private static void fields(JsonNode downwardApi) {
    for (JsonNode item : downwardApi.path("items")) {
      if (item.get("fieldRef") instanceof ObjectNode field) {
        putIfAbsent(field, "apiVersion", "v1");
      }
    }
  }

  /** The defaults of volumes of single storage systems. */
  private static void disks(ObjectNode volume) {
    if (volume.get("iscsi") instanceof ObjectNode iscsi) {
      putIfAbsent(iscsi, "iscsiInterface", "default");
    }
    if (volume.get("rbd") instanceof ObjectNode rbd) {
      putIfAbsent(rbd, "pool", "rbd");
      putIfAbsent(rbd, "user", "admin");
      putIfAbsent(rbd, "keyring", "/etc/ceph/keyring");
    }
    if (volume.get("azureDisk") instanceof ObjectNode disk) {
      putIfAbsent(disk, "cachingMode", "ReadWrite");
      putIfAbsent(disk, "kind", "Shared");
      putIfAbsent(disk, "fsType", "ext4");
      putIfAbsent(disk, "readOnly", false);
    }
    if (volume.get("scaleIO") instanceof ObjectNode scaleIo) {
      putIfAbsent(scaleIo, "storageMode", "ThinProvisioned");
      putIfAbsent(scaleIo, "fsType", "xfs");
    }
  }

  private static void requestsFromLimits(ObjectNode container) {
    if (!(container.path("resources") instanceof ObjectNode resources)
        || !(resources.get("limits") instanceof ObjectNode limits)
        || limits.isEmpty()) {
      return;
    }
    ObjectNode requests = resources.withObject("requests");
    for (Map.Entry<String, JsonNode> limit : limits.properties()) {
      if (!requests.has(limit.getKey())) {
        requests.set(limit.getKey(), limit.getValue());
      }
    }
  }

  private static void putIfAbsent(ObjectNode object, String name, String value) {
    if (!object.hasNonNull(name) || object.path(name).asText().isEmpty()) {
      object.put(name, value);
    }
  }

  private static void putIfAbsent(ObjectNode object, String name, int value) {
    if (!object.hasNonNull(name)) {
      object.put(name, value);
    }
  }

  private static void putIfAbsent(ObjectNode object, String name, boolean value) {
    if (!object.hasNonNull(name)) {
      object.put(name, value);
    }
  }
}

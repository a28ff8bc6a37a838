package io.berth.benchmarks.conformance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.api.model.storage.CSINode;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the Kubernetes objects of a vector. */
final class ClusterObjects {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The lists of a vector, in the order in which their objects are applied. */
  private static final Map<String, Class<? extends HasMetadata>> LISTS = new LinkedHashMap<>();

  static {
    LISTS.put("namespaces", Namespace.class);
    LISTS.put("nodes", Node.class);
    LISTS.put("services", Service.class);
    LISTS.put("pdbs", PodDisruptionBudget.class);
    LISTS.put("storageClasses", StorageClass.class);
    LISTS.put("csiNodes", CSINode.class);
    LISTS.put("pvs", PersistentVolume.class);
    LISTS.put("pvcs", PersistentVolumeClaim.class);
    LISTS.put("deviceClasses", DeviceClass.class);
    LISTS.put("resourceSlices", ResourceSlice.class);
    LISTS.put("resourceClaims", ResourceClaim.class);
    LISTS.put("claims", ResourceClaim.class);
    LISTS.put("pods", Pod.class);
  }

  private ClusterObjects() {}

  static List<HasMetadata> of(JsonNode vector) {
    List<HasMetadata> objects = new ArrayList<>();
    LISTS.forEach(
        (list, type) -> {
          for (JsonNode object : vector.path(list)) {
            objects.add(read(object, type));
          }
        });
    return objects;
  }

  static <T extends HasMetadata> T read(JsonNode object, Class<T> type) {
    try {
      return JSON.treeToValue(object, type);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not a " + type.getSimpleName() + ": " + object, e);
    }
  }
}

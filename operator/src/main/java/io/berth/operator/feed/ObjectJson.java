package io.berth.operator.feed;

import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;

/**
 * Parsers for objects as the API server writes them.
 *
 * <p>Pods are most of what an API server sends, and Berth reads only a small part of each. Their
 * other fields, such as managed fields, environment variables, probes, and the state of containers,
 * are skipped while a pod is parsed: no object is created for them.
 */
final class ObjectJson {

  /**
   * The fields of pods that are parsed: for each type, a class that names them. Types that are not
   * listed are parsed completely.
   */
  static final Map<Class<?>, Class<?>> PARTS_OF_PODS =
      Map.of(
          ObjectMeta.class, OfMetadata.class,
          PodSpec.class, OfSpec.class,
          Container.class, OfContainer.class,
          Volume.class, OfVolume.class,
          PodStatus.class, OfStatus.class,
          ContainerStatus.class, OfContainerStatus.class);

  private static final ObjectMapper OBJECTS = mapper();
  private static final ObjectMapper PODS = mapper().setMixIns(PARTS_OF_PODS);

  private ObjectJson() {}

  @JsonIncludeProperties({
    "annotations",
    "creationTimestamp",
    "deletionTimestamp",
    "generateName",
    "labels",
    "name",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "uid"
  })
  private interface OfMetadata {}

  @JsonIncludeProperties({
    "affinity",
    "containers",
    "hostNetwork",
    "hostUsers",
    "initContainers",
    "nodeName",
    "nodeSelector",
    "overhead",
    "preemptionPolicy",
    "priority",
    "priorityClassName",
    "resourceClaims",
    "resources",
    "restartPolicy",
    "schedulerName",
    "schedulingGates",
    "schedulingGroup", // an additional property: the client's type does not have it
    "tolerations",
    "topologySpreadConstraints",
    "volumes"
  })
  private interface OfSpec {}

  @JsonIncludeProperties({
    "image",
    "name",
    "ports",
    "resources",
    "restartPolicy",
    "restartPolicyRules"
  })
  private interface OfContainer {}

  @JsonIncludeProperties({
    "awsElasticBlockStore",
    "azureDisk",
    "cinder",
    "csi",
    "ephemeral",
    "gcePersistentDisk",
    "image",
    "iscsi",
    "name",
    "persistentVolumeClaim",
    "portworxVolume",
    "rbd"
  })
  private interface OfVolume {}

  @JsonIncludeProperties({
    "allocatedResources", // an additional property, as resources
    "conditions",
    "containerStatuses",
    "initContainerStatuses",
    "message",
    "nominatedNodeName",
    "phase",
    "reason",
    "resources",
    "startTime"
  })
  private interface OfStatus {}

  @JsonIncludeProperties({"allocatedResources", "name", "resources"})
  private interface OfContainerStatus {}

  /**
   * Returns the parser for a type: for pods, only of {@link #PARTS_OF_PODS}. It is prepared when
   * the first object of the type is parsed, so that kinds without objects take no time at the
   * start.
   */
  static ObjectMapper of(Class<?> type) {
    return type == Pod.class ? PODS : OBJECTS;
  }

  /** Returns a mapper with the settings of the client library. */
  private static ObjectMapper mapper() {
    ObjectMapper mapper = new ObjectMapper();
    var _ = new KubernetesSerialization(mapper, false); // configures it
    return mapper;
  }
}

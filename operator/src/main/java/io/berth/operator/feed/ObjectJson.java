package io.berth.operator.feed;

import static java.util.Map.entry;

import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.AWSElasticBlockStoreVolumeSource;
import io.fabric8.kubernetes.api.model.AzureDiskVolumeSource;
import io.fabric8.kubernetes.api.model.CSIVolumeSource;
import io.fabric8.kubernetes.api.model.CinderVolumeSource;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.ContainerRestartRule;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.EphemeralVolumeSource;
import io.fabric8.kubernetes.api.model.GCEPersistentDiskVolumeSource;
import io.fabric8.kubernetes.api.model.ISCSIVolumeSource;
import io.fabric8.kubernetes.api.model.ImageVolumeSource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimVolumeSource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PortworxVolumeSource;
import io.fabric8.kubernetes.api.model.RBDVolumeSource;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;

/**
 * Parsers for objects as the API server writes them.
 *
 * <p>Pods are most of what an API server sends, and Berth reads only a small part of each. Their
 * other fields, such as managed fields, environment variables, probes, and the state of containers,
 * are skipped while a pod is parsed: no object is created for them. {@link
 * io.berth.operator.protobuf.PodMessage} reads the same fields.
 */
final class ObjectJson {

  /**
   * The fields of pods that are parsed: for each type, a class that names them. Types that are not
   * listed are parsed completely.
   */
  static final Map<Class<?>, Class<?>> PARTS_OF_PODS =
      Map.ofEntries(
          entry(ObjectMeta.class, OfMetadata.class),
          entry(OwnerReference.class, OfOwner.class),
          entry(PodSpec.class, OfSpec.class),
          entry(Container.class, OfContainer.class),
          entry(ContainerPort.class, OfPort.class),
          entry(ContainerRestartRule.class, OfRestartRule.class),
          entry(ResourceRequirements.class, OfResources.class),
          entry(Volume.class, OfVolume.class),
          entry(AWSElasticBlockStoreVolumeSource.class, OfVolumeWithId.class),
          entry(AzureDiskVolumeSource.class, OfAzureDisk.class),
          entry(CinderVolumeSource.class, OfVolumeWithId.class),
          entry(CSIVolumeSource.class, OfCsi.class),
          entry(EphemeralVolumeSource.class, OfEphemeral.class),
          entry(GCEPersistentDiskVolumeSource.class, OfGceDisk.class),
          entry(ImageVolumeSource.class, OfImage.class),
          entry(ISCSIVolumeSource.class, OfIscsi.class),
          entry(PersistentVolumeClaimVolumeSource.class, OfClaim.class),
          entry(PortworxVolumeSource.class, OfVolumeWithId.class),
          entry(RBDVolumeSource.class, OfRbd.class),
          entry(PodStatus.class, OfStatus.class),
          entry(PodCondition.class, OfCondition.class),
          entry(ContainerStatus.class, OfContainerStatus.class));

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

  @JsonIncludeProperties({"apiVersion", "controller", "kind", "name", "uid"})
  private interface OfOwner {}

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

  @JsonIncludeProperties({"hostIP", "hostPort", "protocol"})
  private interface OfPort {}

  @JsonIncludeProperties({"action"})
  private interface OfRestartRule {}

  @JsonIncludeProperties({"limits", "requests"})
  private interface OfResources {}

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

  @JsonIncludeProperties({"volumeID"})
  private interface OfVolumeWithId {}

  @JsonIncludeProperties({"diskURI"})
  private interface OfAzureDisk {}

  @JsonIncludeProperties({"driver"})
  private interface OfCsi {}

  /**
   * No field: the claim of such a volume has the name of the pod and of the volume. An empty set
   * would include all fields.
   */
  @JsonIncludeProperties("none")
  private interface OfEphemeral {}

  @JsonIncludeProperties({"pdName", "readOnly"})
  private interface OfGceDisk {}

  @JsonIncludeProperties({"reference"})
  private interface OfImage {}

  @JsonIncludeProperties({"iqn", "readOnly"})
  private interface OfIscsi {}

  @JsonIncludeProperties({"claimName"})
  private interface OfClaim {}

  @JsonIncludeProperties({"image", "monitors", "pool", "readOnly"})
  private interface OfRbd {}

  @JsonIncludeProperties({
    "allocatedResources", // an additional property, as resources
    "conditions",
    "containerStatuses",
    "initContainerStatuses",
    "message",
    "nominatedNodeName",
    "phase",
    "reason",
    "resourceClaimStatuses",
    "resources",
    "startTime"
  })
  private interface OfStatus {}

  @JsonIncludeProperties({"message", "reason", "status", "type"})
  private interface OfCondition {}

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

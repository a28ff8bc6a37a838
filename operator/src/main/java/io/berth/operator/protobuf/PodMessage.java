package io.berth.operator.protobuf;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodResourceClaimStatus;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The protobuf encoding of a Pod (core/v1), read as far as Berth reads pods. The result has the
 * same fields as if it were parsed from the JSON encoding.
 */
public final class PodMessage {

  private PodMessage() {}

  /**
   * Reads a pod, without its envelope. Quantities are not checked.
   *
   * @throws IOException if this is not a Pod
   */
  public static Pod read(Bytes bytes) throws IOException {
    MessageReader in = MessageReader.of(bytes);
    Pod pod = new Pod();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> pod.setMetadata(in.message(PodMessage::metadata));
        case 2 -> pod.setSpec(in.message(PodSpecMessage::read));
        case 3 -> pod.setStatus(in.message(PodMessage::status));
        default -> in.skip();
      }
    }
    return pod;
  }

  private static ObjectMeta metadata(MessageReader in) throws IOException {
    ObjectMeta metadata = new ObjectMeta();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> metadata.setName(in.nonEmpty());
        case 2 -> metadata.setGenerateName(in.nonEmpty());
        case 3 -> metadata.setNamespace(in.nonEmpty());
        case 5 -> metadata.setUid(in.nonEmpty());
        case 6 -> metadata.setResourceVersion(in.nonEmpty());
        case 8 -> metadata.setCreationTimestamp(in.nonZeroTime());
        case 9 -> metadata.setDeletionTimestamp(in.nonZeroTime());
        case 11 -> in.entry(metadata.getLabels());
        case 12 -> in.entry(metadata.getAnnotations());
        case 13 -> metadata.getOwnerReferences().add(in.message(PodMessage::owner));
        default -> in.skip();
      }
    }
    return metadata;
  }

  private static OwnerReference owner(MessageReader in) throws IOException {
    OwnerReference owner = new OwnerReference();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> owner.setKind(in.text());
        case 3 -> owner.setName(in.text());
        case 4 -> owner.setUid(in.text());
        case 5 -> owner.setApiVersion(in.text());
        case 6 -> owner.setController(in.bool());
        default -> in.skip();
      }
    }
    return owner;
  }

  private static PodStatus status(MessageReader in) throws IOException {
    PodStatus status = new PodStatus();
    Map<String, Object> allocated = new LinkedHashMap<>();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> status.setPhase(in.nonEmpty());
        case 2 -> status.getConditions().add(in.message(PodMessage::condition));
        case 3 -> status.setMessage(in.nonEmpty());
        case 4 -> status.setReason(in.nonEmpty());
        case 7 -> status.setStartTime(in.nonZeroTime());
        case 8 -> status.getContainerStatuses().add(in.message(PodMessage::container));
        case 10 -> status.getInitContainerStatuses().add(in.message(PodMessage::container));
        case 11 -> status.setNominatedNodeName(in.nonEmpty());
        case 15 -> status.getResourceClaimStatuses().add(in.message(PodMessage::claim));
        // The client's type does not have the following two.
        case 19 -> in.entry(allocated, "0", MessageReader::quantity);
        case 20 -> status.setAdditionalProperty("resources", in.message(PodMessage::resources));
        default -> in.skip();
      }
    }
    if (!allocated.isEmpty()) {
      status.setAdditionalProperty("allocatedResources", allocated);
    }
    return status;
  }

  private static PodResourceClaimStatus claim(MessageReader in) throws IOException {
    PodResourceClaimStatus claim = new PodResourceClaimStatus();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> claim.setName(in.text());
        case 2 -> claim.setResourceClaimName(in.text());
        default -> in.skip();
      }
    }
    return claim;
  }

  private static PodCondition condition(MessageReader in) throws IOException {
    PodCondition condition = new PodCondition();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> condition.setType(in.text());
        case 2 -> condition.setStatus(in.text());
        case 5 -> condition.setReason(in.nonEmpty());
        case 6 -> condition.setMessage(in.nonEmpty());
        default -> in.skip();
      }
    }
    return condition;
  }

  private static ContainerStatus container(MessageReader in) throws IOException {
    ContainerStatus status = new ContainerStatus();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> status.setName(in.text());
        case 10 -> PodSpecMessage.quantity(in, status.getAllocatedResources());
        case 11 -> status.setResources(in.message(PodSpecMessage::resources));
        default -> in.skip();
      }
    }
    return status;
  }

  /** Reads resource requirements as their JSON encoding, a map from field names to values. */
  private static Map<String, Object> resources(MessageReader in) throws IOException {
    Map<String, Object> resources = new LinkedHashMap<>();
    Map<String, Object> limits = new LinkedHashMap<>();
    Map<String, Object> requests = new LinkedHashMap<>();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> in.entry(limits, "0", MessageReader::quantity);
        case 2 -> in.entry(requests, "0", MessageReader::quantity);
        default -> in.skip();
      }
    }
    if (!limits.isEmpty()) {
      resources.put("limits", limits);
    }
    if (!requests.isEmpty()) {
      resources.put("requests", requests);
    }
    return resources;
  }
}

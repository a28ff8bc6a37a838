package io.berth.operator.protobuf;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.ContainerRestartRule;
import io.fabric8.kubernetes.api.model.PodResourceClaim;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraint;
import java.io.IOException;
import java.util.Map;

/** The protobuf encoding of a PodSpec and of its containers. */
final class PodSpecMessage {
  private PodSpecMessage() {}

  static PodSpec read(MessageReader in) throws IOException {
    PodSpec spec = new PodSpec();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> spec.getVolumes().add(in.message(VolumeMessage::read));
        case 2 -> spec.getContainers().add(in.message(PodSpecMessage::container));
        case 3 -> spec.setRestartPolicy(in.nonEmpty());
        case 7 -> in.entry(spec.getNodeSelector());
        case 10 -> spec.setNodeName(in.nonEmpty());
        case 11 -> spec.setHostNetwork(in.nonFalse());
        case 18 -> spec.setAffinity(in.message(AffinityMessage::read));
        case 19 -> spec.setSchedulerName(in.nonEmpty());
        case 20 -> spec.getInitContainers().add(in.message(PodSpecMessage::container));
        case 22 -> spec.getTolerations().add(in.message(PodSpecMessage::toleration));
        case 24 -> spec.setPriorityClassName(in.nonEmpty());
        case 25 -> spec.setPriority(in.int32());
        case 31 -> spec.setPreemptionPolicy(in.text());
        case 32 -> quantity(in, spec.getOverhead());
        case 33 -> spec.getTopologySpreadConstraints().add(in.message(PodSpecMessage::spread));
        case 37 -> spec.setHostUsers(in.bool());
        case 38 -> spec.getSchedulingGates().add(in.message(PodSpecMessage::gate));
        case 39 -> spec.getResourceClaims().add(in.message(PodSpecMessage::claim));
        case 40 -> spec.setResources(in.message(PodSpecMessage::resources));
        // The client's type does not have it.
        case 43 -> spec.setAdditionalProperty("schedulingGroup", in.message(PodSpecMessage::group));
        default -> in.skip();
      }
    }
    return spec;
  }

  private static Container container(MessageReader in) throws IOException {
    Container container = new Container();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> container.setName(in.text());
        case 2 -> container.setImage(in.nonEmpty());
        case 6 -> container.getPorts().add(in.message(PodSpecMessage::port));
        case 8 -> container.setResources(in.message(PodSpecMessage::resources));
        case 24 -> container.setRestartPolicy(in.text());
        case 25 -> container.getRestartPolicyRules().add(in.message(PodSpecMessage::restartRule));
        default -> in.skip();
      }
    }
    return container;
  }

  private static ContainerPort port(MessageReader in) throws IOException {
    ContainerPort port = new ContainerPort();
    while (in.next()) {
      switch (in.field()) {
        case 2 -> port.setHostPort(in.nonZero());
        case 4 -> port.setProtocol(in.nonEmpty());
        case 5 -> port.setHostIP(in.nonEmpty());
        default -> in.skip();
      }
    }
    return port;
  }

  static ResourceRequirements resources(MessageReader in) throws IOException {
    ResourceRequirements resources = new ResourceRequirements();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> quantity(in, resources.getLimits());
        case 2 -> quantity(in, resources.getRequests());
        default -> in.skip();
      }
    }
    return resources;
  }

  /** Adds an entry of a map from resources to quantities. */
  static void quantity(MessageReader in, Map<String, Quantity> quantities) throws IOException {
    in.entry(quantities, new Quantity("0"), each -> new Quantity(each.quantity()));
  }

  private static ContainerRestartRule restartRule(MessageReader in) throws IOException {
    ContainerRestartRule rule = new ContainerRestartRule();
    rule.setAction(in.onlyText(1));
    return rule;
  }

  private static Toleration toleration(MessageReader in) throws IOException {
    Toleration toleration = new Toleration();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> toleration.setKey(in.nonEmpty());
        case 2 -> toleration.setOperator(in.nonEmpty());
        case 3 -> toleration.setValue(in.nonEmpty());
        case 4 -> toleration.setEffect(in.nonEmpty());
        case 5 -> toleration.setTolerationSeconds(in.int64());
        default -> in.skip();
      }
    }
    return toleration;
  }

  private static TopologySpreadConstraint spread(MessageReader in) throws IOException {
    TopologySpreadConstraint constraint = new TopologySpreadConstraint();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> constraint.setMaxSkew(in.int32());
        case 2 -> constraint.setTopologyKey(in.text());
        case 3 -> constraint.setWhenUnsatisfiable(in.text());
        case 4 -> constraint.setLabelSelector(in.message(AffinityMessage::labels));
        case 5 -> constraint.setMinDomains(in.int32());
        case 6 -> constraint.setNodeAffinityPolicy(in.text());
        case 7 -> constraint.setNodeTaintsPolicy(in.text());
        case 8 -> constraint.getMatchLabelKeys().add(in.text());
        default -> in.skip();
      }
    }
    return constraint;
  }

  private static PodSchedulingGate gate(MessageReader in) throws IOException {
    PodSchedulingGate gate = new PodSchedulingGate();
    gate.setName(in.onlyText(1));
    return gate;
  }

  private static PodResourceClaim claim(MessageReader in) throws IOException {
    PodResourceClaim claim = new PodResourceClaim();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> claim.setName(in.text());
        case 3 -> claim.setResourceClaimName(in.text());
        case 4 -> claim.setResourceClaimTemplateName(in.text());
        default -> in.skip();
      }
    }
    return claim;
  }

  private static Map<String, Object> group(MessageReader in) throws IOException {
    String name = in.onlyText(1);
    return name == null ? Map.of() : Map.of("podGroupName", name);
  }
}

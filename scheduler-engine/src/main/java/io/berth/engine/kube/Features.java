package io.berth.engine.kube;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerRestartRule;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Kubelet features: those that a node declares, and those that a pod's spec requires of its node,
 * as Kubernetes 1.36 infers them for scheduling. Other declared features matter only for updates of
 * placed pods.
 */
final class Features {
  private static final String RESTART_ALL = "RestartAllContainersOnContainerExits";
  private static final String HOST_NETWORK_USERS = "UserNamespacesHostNetworkSupport";

  private Features() {}

  /**
   * Returns the names in {@code status.declaredFeatures}, a field that the client's model does not
   * have.
   */
  static Set<String> declared(NodeStatus status) {
    Object declared = status.getAdditionalProperties().get("declaredFeatures");
    if (declared == null) {
      return Set.of();
    }
    Set<String> names = new HashSet<>();
    if (declared instanceof List<?> list) {
      for (Object name : list) {
        if (name instanceof String text) {
          names.add(text);
        }
      }
      if (names.size() == list.size()) {
        return names;
      }
    }
    throw new RefusedException("status.declaredFeatures is not a list of different names");
  }

  /** Returns the names of the features that a node must declare to run the pod. */
  static Set<String> required(PodSpec spec) {
    Set<String> names = new HashSet<>();
    if (restartAll(spec.getContainers()) || restartAll(spec.getInitContainers())) {
      names.add(RESTART_ALL);
    }
    if (Boolean.TRUE.equals(spec.getHostNetwork()) && Boolean.FALSE.equals(spec.getHostUsers())) {
      names.add(HOST_NETWORK_USERS);
    }
    return names;
  }

  private static boolean restartAll(List<Container> containers) {
    for (Container container : containers) {
      for (ContainerRestartRule rule : container.getRestartPolicyRules()) {
        if ("RestartAllContainers".equals(rule.getAction())) {
          return true;
        }
      }
    }
    return false;
  }
}

package io.berth.operator.gpu;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;

/** The agent of a node's cards, with the kubelet that asks it, as a test plays them. */
interface Agent {
  /** The cluster as the kubelet sees it and the agent changes it. */
  interface Cluster {
    /** All pods by name, as the API server has them. */
    Map<String, Pod> pods();

    /** Writes annotations of a pod. */
    void annotate(String pod, Map<String, String> annotations);

    /** Gives the node's lock back that was taken for a pod. */
    void unlock(String pod);

    /** The name of the pod that the node is locked for; empty for none. */
    String lockedFor();
  }

  /** The kubelet admits a pod that is bound: the agent hands out the cards of its containers. */
  void admit(Pod pod, Cluster cluster);

  /** The kubelet starts the containers of a pod that it has admitted. */
  void start(Pod pod, Cluster cluster);

  /** Everything that the agent remembers: agents that remember the same act alike. */
  String memory();
}

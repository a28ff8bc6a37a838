package io.berth.operator.gpu;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;

/** A simulation of the agent of a node's cards and of the kubelet that calls it. */
interface Agent {
  /** The cluster as seen by the kubelet and changed by the agent. */
  interface Cluster {
    /** Returns all pods by name, as on the API server. */
    Map<String, Pod> pods();

    /** Adds annotations to a pod. */
    void annotate(String pod, Map<String, String> annotations);

    /** Releases the node's lock that was acquired for a pod. */
    void unlock(String pod);

    /** Returns the name of the pod that the node is locked for; empty for none. */
    String lockedFor();
  }

  /** Admits a bound pod, as the kubelet does: the agent assigns cards to its containers. */
  void admit(Pod pod, Cluster cluster);

  /** Starts the containers of an admitted pod, as the kubelet does. */
  void start(Pod pod, Cluster cluster);

  /** Returns the agent's complete state: agents with equal state behave the same. */
  String memory();
}

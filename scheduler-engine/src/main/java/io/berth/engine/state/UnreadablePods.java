package io.berth.engine.state;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Bound pods that cannot be parsed. The amount of resources that they use is unknown, so no further
 * pods are placed on their nodes.
 */
public final class UnreadablePods {
  private final Map<String, String> nodeOfPod = new HashMap<>();
  private final Map<String, Set<String>> podsOfNode = new HashMap<>();
  private final Consumer<String> changed;

  /**
   * @param changed receives the node of each pod that is added or removed
   */
  UnreadablePods(Consumer<String> changed) {
    this.changed = changed;
  }

  /** Adds a pod that cannot be parsed. */
  public void add(String podUid, String nodeName) {
    if (nodeName.equals(nodeOfPod.get(podUid))) {
      return;
    }
    remove(podUid);
    nodeOfPod.put(podUid, nodeName);
    podsOfNode.computeIfAbsent(nodeName, name -> new HashSet<>()).add(podUid);
    changed.accept(nodeName);
  }

  /**
   * Removes a pod that can be parsed now, or was deleted. Returns its node; null if the pod was not
   * in this set.
   */
  public @Nullable String remove(String podUid) {
    String nodeName = nodeOfPod.remove(podUid);
    if (nodeName == null) {
      return null;
    }
    Set<String> pods = podsOfNode.get(nodeName);
    if (pods != null && pods.remove(podUid) && pods.isEmpty()) {
      podsOfNode.remove(nodeName);
    }
    changed.accept(nodeName);
    return nodeName;
  }

  /** Returns whether there are any on this node. */
  public boolean areOn(String nodeName) {
    return !podsOfNode.isEmpty() && podsOfNode.containsKey(nodeName);
  }

  /** Returns the number of entries. */
  public int size() {
    return nodeOfPod.size();
  }
}

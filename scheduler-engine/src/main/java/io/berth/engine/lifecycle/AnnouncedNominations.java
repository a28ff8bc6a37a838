package io.berth.engine.lifecycle;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * The nominations that decisions have announced and that the pods' status has not shown yet.
 *
 * <p>A pod's {@code nominatedNodeName} is written by Berth and by others (a node provisioner, an
 * administrator). What the watch shows of Berth's own writes comes late, when the engine may have
 * decided otherwise; it must not be taken for the wish of somebody else.
 */
final class AnnouncedNominations {
  /** Of a pod whose writes never arrive the oldest announcements are forgotten. */
  private static final int KEPT = 8;

  private final Map<String, Deque<String>> byPod = new HashMap<>();

  /**
   * A decision announced a nomination.
   *
   * @param node empty where the pod has none
   * @param shown what the pod's status shows
   */
  void announce(String podUid, String node, String shown) {
    Deque<String> announced = byPod.get(podUid);
    String last = announced == null ? shown : announced.getLast();
    if (node.equals(last)) {
      return;
    }
    if (announced == null) {
      announced = new ArrayDeque<>(2);
      byPod.put(podUid, announced);
    } else if (announced.size() == KEPT) {
      announced.removeFirst();
    }
    announced.addLast(node);
  }

  /**
   * The status shows another node than before. If it was announced, it and what was announced
   * before it are awaited no longer; several writes may be shown as one.
   *
   * @return whether it was
   */
  boolean isShown(String podUid, String node) {
    Deque<String> announced = byPod.get(podUid);
    if (announced == null || !announced.contains(node)) {
      byPod.remove(podUid);
      return false;
    }
    while (!announced.removeFirst().equals(node)) {
      // Announced earlier: overtaken.
    }
    if (announced.isEmpty()) {
      byPod.remove(podUid);
    }
    return true;
  }

  /** The pod waits no more. */
  void forget(String podUid) {
    byPod.remove(podUid);
  }

  /** For how many pods something is awaited. */
  int size() {
    return byPod.size();
  }
}

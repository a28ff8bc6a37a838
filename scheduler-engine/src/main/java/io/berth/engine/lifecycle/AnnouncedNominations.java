package io.berth.engine.lifecycle;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * The nominations that decisions have announced and that the pods' status does not show yet.
 *
 * <p>Berth and others (a node provisioner, an administrator) write a pod's {@code
 * nominatedNodeName}. The watch shows Berth's own writes with a delay, when the engine may have
 * decided otherwise. They must not be mistaken for nominations by others.
 */
public final class AnnouncedNominations {
  /**
   * The maximum number of announcements per pod. The oldest are dropped if a pod's writes never
   * arrive.
   */
  private static final int KEPT = 8;

  private final Map<String, Deque<String>> byPod = new HashMap<>();

  /**
   * Records the nomination that a decision announced.
   *
   * @param node the nominated node; empty if there is none
   * @param shown the node in the pod's status
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
   * Handles a changed nomination in a pod's status. If it was announced, it and all earlier
   * announcements are dropped, because the watch may merge several writes.
   *
   * @return whether it was announced
   */
  boolean isShown(String podUid, String node) {
    Deque<String> announced = byPod.get(podUid);
    if (announced == null || !announced.contains(node)) {
      byPod.remove(podUid);
      return false;
    }
    while (!announced.removeFirst().equals(node)) {
      // An earlier announcement, which has been superseded.
    }
    if (announced.isEmpty()) {
      byPod.remove(podUid);
    }
    return true;
  }

  /** Drops the announcements of a pod that is not pending any more. */
  void forget(String podUid) {
    byPod.remove(podUid);
  }

  /** Returns the number of pods with announcements. */
  int size() {
    return byPod.size();
  }
}

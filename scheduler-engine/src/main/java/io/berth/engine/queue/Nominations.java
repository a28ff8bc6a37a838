package io.berth.engine.queue;

import io.berth.engine.journal.Journal;
import io.berth.engine.model.RunTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The nominations: pending pods and the nodes on which preemption made room for them.
 *
 * <p>A nomination lives with its pod: it is kept here by the pod's UID alone, and {@link #end}
 * takes it away whatever the node. A caller that learns that a pod is bound, assumed or gone must
 * call it; a nomination that is left behind blocks room on its node forever (kubernetes issue
 * 86942).
 */
public final class Nominations {
  private static final int KEPT_CHANGES = 1024;

  private final Journal journal;
  private final Map<String, String> nodeOfPod = new HashMap<>();
  private final Map<String, Set<String>> podsOfNode = new LinkedHashMap<>();

  /** The times before which nominated pods cannot use their room; of most none is known. */
  private final Map<String, Instant> startOfPod = new HashMap<>();

  private Instant now = Instant.MIN;

  /** The nodes of the latest changes, and the number of the first of them. */
  private final List<String> changes = new ArrayList<>();

  private long firstChange;

  /** No nominations yet; those that are made or end can be taken back by way of the journal. */
  public Nominations(Journal journal) {
    this.journal = journal;
  }

  /** Changes whenever a nomination is made or ends. */
  public long version() {
    return firstChange + changes.size();
  }

  /**
   * Visits the nodes to which nominations were made, or ended, since that version.
   *
   * @return false if so much has changed since that it is not known any more
   */
  public boolean forEachChangeSince(long since, Consumer<String> visitor) {
    if (since < firstChange) {
      return false;
    }
    for (long change = since; change < version(); change++) {
      visitor.accept(changes.get((int) (change - firstChange)));
    }
    return true;
  }

  private void changed(String nodeName) {
    if (changes.size() == 2 * KEPT_CHANGES) {
      changes.subList(0, KEPT_CHANGES).clear();
      firstChange += KEPT_CHANGES;
    }
    changes.add(nodeName);
  }

  /** Updates a nominated pod that has changed. */
  public void podChanged(String podUid) {
    String nodeName = nodeOfPod.get(podUid);
    if (nodeName != null) {
      changed(nodeName);
    }
  }

  /** Promises room on the node to the pod, in place of what it was promised before. */
  public void nominate(String podUid, String nodeName) {
    end(podUid);
    changed(nodeName);
    nodeOfPod.put(podUid, nodeName);
    podsOfNode.computeIfAbsent(nodeName, name -> new LinkedHashSet<>()).add(podUid);
    journal.record(() -> end(podUid));
  }

  /**
   * The same for room that the pod cannot use before a time: until then, others may that declare to
   * have ended by then.
   */
  public void nominate(String podUid, String nodeName, Instant start) {
    nominate(podUid, nodeName);
    startOfPod.put(podUid, start);
    journal.record(() -> startOfPod.remove(podUid));
  }

  /** Takes in the time. */
  public void advance(Instant time) {
    now = time;
  }

  /**
   * Returns whether a pod that runs so long, from now on, leaves before the nominated one comes.
   */
  public boolean leavesInTime(RunTime runTime, String nominatedUid) {
    Instant start = startOfPod.get(nominatedUid);
    return start != null
        && runTime.expected().isPresent()
        && !now.plus(runTime.expected().get()).isAfter(start);
  }

  /** Ends the pod's nomination; the node it was for, if there was one. */
  public Optional<String> end(String podUid) {
    String nodeName = nodeOfPod.remove(podUid);
    if (nodeName == null) {
      return Optional.empty();
    }
    changed(nodeName);
    Instant start = startOfPod.remove(podUid);
    if (start != null) {
      journal.record(() -> startOfPod.put(podUid, start));
    }
    Set<String> pods = podsOfNode.get(nodeName);
    if (pods != null) {
      if (journal.isOpen()) {
        List<String> before = List.copyOf(pods);
        journal.record(() -> restore(podUid, nodeName, before));
      }
      pods.remove(podUid);
      if (pods.isEmpty()) {
        podsOfNode.remove(nodeName);
      }
    }
    return Optional.of(nodeName);
  }

  /** Makes a nomination that had ended again, in its old place among those of the node. */
  private void restore(String podUid, String nodeName, List<String> podsBefore) {
    changed(nodeName);
    nodeOfPod.put(podUid, nodeName);
    podsOfNode.put(nodeName, new LinkedHashSet<>(podsBefore));
  }

  /** The node on which the pod is promised room. */
  public Optional<String> nodeOf(String podUid) {
    return Optional.ofNullable(nodeOfPod.get(podUid));
  }

  /**
   * UIDs of the pods that are promised room on the node, the earliest promise first: a live view.
   */
  public Set<String> podsOn(String nodeName) {
    return podsOfNode.getOrDefault(nodeName, Set.of());
  }

  /** The nodes on which room is promised: a live view. */
  public Set<String> nodes() {
    return podsOfNode.keySet();
  }

  /** Returns the number of nominated pods. */
  public int size() {
    return nodeOfPod.size();
  }

  /** Returns whether no pod holds a nomination. */
  public boolean isEmpty() {
    return nodeOfPod.isEmpty();
  }
}

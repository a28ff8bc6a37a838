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
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The nominations: pending pods, and the nodes where preemption has freed resources for them.
 *
 * <p>A nomination belongs to its pod: it is keyed by the pod's UID alone, and {@link #end} removes
 * it regardless of the node. Callers must call it when a pod is bound, assumed or deleted; a leaked
 * nomination would block resources of its node permanently (kubernetes issue 86942).
 */
public final class Nominations {
  private static final int KEPT_CHANGES = 1024;

  private final Journal journal;
  private Consumer<String> listener = podUid -> {};
  private final Map<String, String> nodeOfPod = new HashMap<>();
  private final Map<String, Set<String>> podsOfNode = new LinkedHashMap<>();

  /** The times before which nominated pods cannot use their resources; unknown for most pods. */
  private final Map<String, Instant> startOfPod = new HashMap<>();

  /** The nodes of nominations that have ended since {@link #takeEnded}, by pod UID. */
  private final Map<String, String> ended = new LinkedHashMap<>();

  private Instant now = Instant.MIN;

  /** The nodes of the latest changes, and the sequence number of the first of them. */
  private final List<String> changes = new ArrayList<>();

  private long firstChange;

  /** Creates an empty set of nominations, whose changes can be undone through the journal. */
  public Nominations(Journal journal) {
    this.journal = journal;
  }

  /** Sets a listener to the UIDs of pods that are nominated, or not any more. */
  public void listen(Consumer<String> receiver) {
    listener = receiver;
  }

  /** Returns a version that changes whenever a nomination is created or ends. */
  public long version() {
    return firstChange + changes.size();
  }

  /**
   * Visits the nodes with nominations that were created or ended since that version.
   *
   * @return false if the changes since that version are not kept any more
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

  /** Nominates the pod for the node, instead of any previous nomination. */
  public void nominate(String podUid, String nodeName) {
    end(podUid);
    ended.remove(podUid, nodeName);
    changed(nodeName);
    nodeOfPod.put(podUid, nodeName);
    podsOfNode.computeIfAbsent(nodeName, name -> new LinkedHashSet<>()).add(podUid);
    journal.record(() -> handOver(podUid));
    listener.accept(podUid);
  }

  /**
   * Nominates the pod for resources that it cannot use before a time. Until then, they are
   * available to pods whose declared run time ends by then.
   */
  public void nominate(String podUid, String nodeName, Instant start) {
    nominate(podUid, nodeName);
    startOfPod.put(podUid, start);
    journal.record(() -> startOfPod.remove(podUid));
  }

  /** Sets the current time. */
  public void advance(Instant time) {
    now = time;
  }

  /**
   * Returns whether a pod with this run time, if it starts now, ends before the nominated pod
   * starts.
   */
  public boolean leavesInTime(RunTime runTime, String nominatedUid) {
    Instant start = startOfPod.get(nominatedUid);
    return start != null
        && runTime.expected().isPresent()
        && !now.plus(runTime.expected().get()).isAfter(start);
  }

  /** Returns the nodes with nominated pods that cannot use their resources before a time. */
  public Set<String> nodesOfLaterStarts() {
    Set<String> nodes = new LinkedHashSet<>();
    for (String podUid : startOfPod.keySet()) {
      String nodeName = nodeOfPod.get(podUid);
      if (nodeName != null) {
        nodes.add(nodeName);
      }
    }
    return nodes;
  }

  /** Ends the pod's nomination; returns its node, if there was one. */
  public Optional<String> end(String podUid) {
    Optional<String> nodeName = handOver(podUid);
    if (nodeName.isPresent()) {
      ended.put(podUid, nodeName.get());
      if (journal.isOpen()) {
        journal.record(() -> ended.remove(podUid));
      }
    }
    return nodeName;
  }

  /**
   * Ends the pod's nomination in favor of another pod, so that no others can use its resources;
   * returns its node, if there was one.
   */
  public Optional<String> handOver(String podUid) {
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
    listener.accept(podUid);
    return Optional.of(nodeName);
  }

  /**
   * Passes on the nominations that have ended or moved since the last call. Their resources are
   * available to others from now on.
   *
   * @param receiver receives the pod's UID, and the name of the node
   */
  public void takeEnded(BiConsumer<String, String> receiver) {
    if (!ended.isEmpty()) {
      Map<String, String> taken = new LinkedHashMap<>(ended);
      ended.clear();
      taken.forEach(receiver);
    }
  }

  /** Restores an ended nomination at its previous position among those of the node. */
  private void restore(String podUid, String nodeName, List<String> podsBefore) {
    changed(nodeName);
    nodeOfPod.put(podUid, nodeName);
    podsOfNode.put(nodeName, new LinkedHashSet<>(podsBefore));
    listener.accept(podUid);
  }

  /** Returns the node that the pod is nominated for. */
  public Optional<String> nodeOf(String podUid) {
    return Optional.ofNullable(nodeOfPod.get(podUid));
  }

  /**
   * Returns a live view of the UIDs of the pods that are nominated for the node, the earliest
   * first.
   */
  public Set<String> podsOn(String nodeName) {
    return podsOfNode.getOrDefault(nodeName, Set.of());
  }

  /** Returns a live view of the nodes with nominations. */
  public Set<String> nodes() {
    return podsOfNode.keySet();
  }

  /** Returns the number of nominated pods. */
  public int size() {
    return nodeOfPod.size();
  }

  /** Returns whether there are no nominations. */
  public boolean isEmpty() {
    return nodeOfPod.isEmpty();
  }
}

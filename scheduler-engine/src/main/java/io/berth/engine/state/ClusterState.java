package io.berth.engine.state;

import io.berth.engine.model.HostPort;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodGroupSelector;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.StorageObject;
import io.berth.engine.terms.Matchers;
import io.berth.engine.terms.NodeCounts;
import io.berth.engine.terms.OwnerCounts;
import io.berth.engine.terms.PodMatcher;
import io.berth.engine.terms.TermSet;
import io.berth.engine.volume.StorageTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The cluster as the engine knows it. One thread owns it.
 *
 * <p>Placing a pod, taking it away and undoing either are the same operation with a sign: it goes
 * over the node's columns and over the counts of every matcher and affinity term the pod has to do
 * with. {@link #mark} and {@link #rollback} undo what was placed and displaced in between, so a
 * question of what would be is asked of the state itself.
 *
 * <p>A pod whose node is not known (yet, or any more) is remembered and counts for nothing until
 * the node comes.
 */
public final class ClusterState {
  private record Move(PodEntry pod, int slotBefore) {}

  private final ResourceNames resources = new ResourceNames();
  private final NodeTable nodes = new NodeTable(resources);
  private final Namespaces namespaces = new Namespaces();
  private final PodGroups podGroups = new PodGroups();
  private final StorageTable storage = new StorageTable();
  private final Matchers matchers = new Matchers();
  private final PodIndex pods = new PodIndex();
  private final UnreadablePods unreadable = new UnreadablePods(this::holdsOtherThanKnown);
  private final Answers answers;
  private final SharedSpecs specs = new SharedSpecs(matchers);
  private final Map<String, Set<PodEntry>> awaitingNode = new HashMap<>();
  private final Budgets budgets = new Budgets();
  private final Timers timers = new Timers();
  private final List<Move> undo = new ArrayList<>();
  private final Set<HostPort> freedPorts = new HashSet<>();
  private boolean marked;
  private long arrivals;
  private long capacityMark;
  private long recounts;
  private final WorkBudget work = new WorkBudget();

  /**
   * An empty cluster.
   *
   * @param cacheBytes about how much memory remembered answers may take
   */
  public ClusterState(long cacheBytes) {
    this.answers = new Answers(cacheBytes);
  }

  // ---------------------------------------------------------------------------------- reading

  public NodeTable nodes() {
    return nodes;
  }

  public ResourceNames resources() {
    return resources;
  }

  public Namespaces namespaces() {
    return namespaces;
  }

  public PodGroups podGroups() {
    return podGroups;
  }

  public StorageTable storage() {
    return storage;
  }

  public Matchers matchers() {
    return matchers;
  }

  public PodIndex pods() {
    return pods;
  }

  /** Pods that hold an unknown part of their nodes. */
  public UnreadablePods unreadable() {
    return unreadable;
  }

  private void holdsOtherThanKnown(String nodeName) {
    int slot = nodes.slotOf(nodeName);
    if (slot >= 0) {
      nodes.capacityLog().add(slot);
    }
  }

  /** The steps that the attempt under way may take. */
  public WorkBudget work() {
    return work;
  }

  /** What was worked out before and is kept up to date. */
  public Answers answers() {
    return answers;
  }

  public Budgets budgets() {
    return budgets;
  }

  /** What has to be done at times of its own. */
  public Timers timers() {
    return timers;
  }

  /** How many different specs the known pods have. */
  public int specs() {
    return specs.size();
  }

  // ---------------------------------------------------------------------------------- pods

  /** Takes in a pod that is not known yet, without placing it. */
  public PodEntry addPod(PodModel model) {
    PodEntry pod = new PodEntry(model, specs.acquire(model.ref().namespace(), model.spec()));
    pods.add(pod);
    return pod;
  }

  /** Replaces what is known of a pod; where it is placed, its node's columns follow. */
  public void updatePod(PodEntry pod, PodModel model) {
    PodModel before = pod.model();
    boolean specChanged = !before.spec().equals(model.spec());
    boolean termsChanged =
        !before.labels().equals(model.labels()) || before.terminating() != model.terminating();
    if (!specChanged && !termsChanged) {
      pod.setModel(model);
      if (pod.slot != PodEntry.NOWHERE && !before.startedAt().equals(model.startedAt())) {
        // Which pods preemption spares first depends on it.
        nodes.capacityLog().add(pod.slot);
      }
      return;
    }
    int slot = pod.slot;
    if (slot != PodEntry.NOWHERE) {
      move(pod, PodEntry.NOWHERE);
    }
    if (specChanged) {
      SharedSpec shared = specs.acquire(model.ref().namespace(), model.spec());
      specs.release(pod.shared);
      pod.shared = shared;
    }
    pod.setModel(model);
    if (!before.labels().equals(model.labels())) {
      pods.relabel(pod, before.labels());
    }
    if (termsChanged) {
      pod.termsVersion = -1;
    }
    if (slot != PodEntry.NOWHERE) {
      move(pod, slot);
    }
  }

  /** Whether the pod may be evicted has changed: what would make room on its node, too. */
  public void evictionChanged(PodEntry pod) {
    if (pod.slot != PodEntry.NOWHERE) {
      nodes.capacityLog().add(pod.slot);
    }
  }

  /** Forgets a pod, wherever it is. */
  public void removePod(PodEntry pod) {
    displace(pod);
    pods.remove(pod);
    releaseSpec(pod.shared);
  }

  /** Counts the pod on the node of this name, now or as soon as there is such a node. */
  public void place(PodEntry pod, String nodeName) {
    displace(pod);
    int slot = nodes.slotOf(nodeName);
    if (slot < 0) {
      awaitingNode.computeIfAbsent(nodeName, name -> new LinkedHashSet<>()).add(pod);
    } else {
      place(pod, slot);
    }
  }

  /** Counts the pod on the node in this slot. */
  public void place(PodEntry pod, int slot) {
    displace(pod);
    move(pod, slot);
    if (!marked) {
      pod.arrival = ++arrivals;
    }
  }

  /** Counts the pod nowhere any more. */
  public void displace(PodEntry pod) {
    if (pod.slot != PodEntry.NOWHERE) {
      move(pod, PodEntry.NOWHERE);
    } else if (!awaitingNode.isEmpty()) {
      awaitingNode.values().removeIf(waiting -> waiting.remove(pod) && waiting.isEmpty());
    }
  }

  /** By which matchers the pod is meant now. */
  public TermSet termsOf(PodEntry pod) {
    if (pod.termsVersion != matchers.version() && pod.slot == PodEntry.NOWHERE) {
      PodModel model = pod.model();
      pod.terms =
          matchers.termsOf(
              model.ref().namespace(),
              namespaces.labelsOf(model.ref().namespace()),
              model.labels(),
              model.terminating());
      pod.termsVersion = matchers.version();
    }
    return pod.terms;
  }

  private void move(PodEntry pod, int slot) {
    if (marked) {
      undo.add(new Move(pod, pod.slot));
    }
    int from = pod.slot;
    if (from != PodEntry.NOWHERE) {
      nodes.removePod(from, pod);
      count(pod, from, -1);
      pod.slot = PodEntry.NOWHERE;
    }
    if (slot != PodEntry.NOWHERE) {
      termsOf(pod);
      pod.slot = slot;
      nodes.addPod(slot, pod);
      count(pod, slot, 1);
    }
  }

  private void count(PodEntry pod, int slot, int delta) {
    TermSet terms = pod.terms;
    for (int i = 0; i < terms.size(); i++) {
      PodMatcher matcher = matchers.byId(terms.id(i));
      NodeCounts counts = matcher == null ? null : matcher.countsOrNull();
      if (counts != null) {
        counts.add(slot, delta);
      }
    }
    for (OwnerCounts owner : pod.shared.ownTerms()) {
      owner.counts().add(slot, delta);
    }
    if (!pod.spec().volumes().isEmpty()) {
      storage.countClaims(pod.ref().namespace(), pod.spec().volumes(), delta);
    }
  }

  /** How many placed pods the matcher means on each node, from now on kept as pods move. */
  public NodeCounts countsOf(PodMatcher matcher) {
    NodeCounts known = matcher.countsOrNull();
    if (known != null) {
      return known;
    }
    NodeCounts counts = matchers.startCounting(matcher);
    String namespace = Matchers.onlyNamespace(matcher.key());
    for (PodEntry pod :
        namespace == null ? pods.all() : pods.candidates(namespace, matcher.key().requirements())) {
      if (pod.slot != PodEntry.NOWHERE) {
        recount(pod, matcher, counts, false);
        recounts++;
      }
    }
    return counts;
  }

  /** How many pods were looked at when counting began: what a test holds against their number. */
  public long recounts() {
    return recounts;
  }

  /** Brings one placed pod's part in one matcher's counts up to date. */
  private void recount(PodEntry pod, PodMatcher matcher, NodeCounts counts, boolean counted) {
    PodModel model = pod.model();
    String namespace = model.ref().namespace();
    boolean meant =
        matcher.matches(
            namespace, namespaces.labelsOf(namespace), model.labels(), model.terminating());
    if (meant != counted) {
      counts.add(pod.slot, meant ? 1 : -1);
    }
    if (meant != pod.terms.contains(matcher)) {
      TermSet known = pod.terms.retain(id -> matchers.byId(id) != null);
      pod.terms = meant ? known.with(matcher) : known.without(matcher);
    }
  }

  // ---------------------------------------------------------------------------------- what if

  /** From now on what is placed and displaced can be undone by {@link #rollback}. */
  public void mark() {
    if (marked) {
      throw new IllegalStateException("a mark is set already");
    }
    marked = true;
    capacityMark = nodes.capacityLog().head();
  }

  /**
   * Undoes what was placed and displaced since {@link #mark}, the last first. A what-if that asked
   * only {@code evaluate} of filters leaves no trace; one that refreshed remembered answers costs
   * the next refresh a second look at the nodes it touched.
   */
  public void rollback() {
    undoTo(0);
    marked = false;
    freedPorts.clear();
    nodes.capacityLog().truncate(capacityMark);
  }

  /** Ends a what-if that broke off, if one did. */
  public void abandonWhatIf() {
    if (marked) {
      rollback();
    }
  }

  /**
   * Host ports that count as free in a what-if whoever else has them: a live set, empty outside of
   * what-ifs. kube-scheduler forgets a port with the first pod that leaves it, though only one pod
   * of a node can have it: see docs/decisions/kube-schedulers-slips.md.
   */
  public Set<HostPort> freedPorts() {
    return freedPorts;
  }

  /** How many moves can be undone; for {@link #undoTo}. */
  public int moves() {
    return undo.size();
  }

  /** Undoes the moves after the first {@code moves} since the mark, which stays. */
  public void undoTo(int moves) {
    if (!marked) {
      throw new IllegalStateException("no mark is set");
    }
    marked = false;
    while (undo.size() > moves) {
      Move last = undo.removeLast();
      move(last.pod, last.slotBefore);
    }
    marked = true;
  }

  // ---------------------------------------------------------------------------------- nodes

  /**
   * Takes in a node, or its update.
   *
   * @return the node as it was; null for one that is new
   */
  public @Nullable NodeModel putNode(NodeModel node) {
    int slot = nodes.slotOf(node.name());
    if (slot >= 0) {
      NodeModel before = nodes.model(slot);
      nodes.update(slot, node);
      return before;
    }
    int added = nodes.add(node);
    Set<PodEntry> waiting = awaitingNode.remove(node.name());
    if (waiting != null) {
      waiting.forEach(pod -> move(pod, added));
    }
    return null;
  }

  /**
   * Forgets a node. Its pods count for nothing until it comes back, or they are seen elsewhere.
   *
   * @return the node as it was; null if it was not known
   */
  public @Nullable NodeModel removeNode(String name) {
    int slot = nodes.slotOf(name);
    if (slot < 0) {
      return null;
    }
    NodeModel before = nodes.model(slot);
    while (nodes.podCount(slot) > 0) {
      PodEntry pod = nodes.pod(slot, nodes.podCount(slot) - 1);
      move(pod, PodEntry.NOWHERE);
      awaitingNode.computeIfAbsent(name, absent -> new LinkedHashSet<>()).add(pod);
    }
    nodes.remove(slot);
    return before;
  }

  // ---------------------------------------------------------------------------------- the rest

  /** Answers whether that changed anything. */
  public boolean putNamespace(String name, Map<String, String> labels) {
    boolean changed = namespaces.put(name, labels);
    if (changed) {
      namespaceChanged(name);
    }
    return changed;
  }

  /** Answers whether that changed anything. */
  public boolean removeNamespace(String name) {
    boolean changed = namespaces.remove(name);
    if (changed) {
      namespaceChanged(name);
    }
    return changed;
  }

  private void namespaceChanged(String name) {
    List<PodMatcher> dependent = matchers.dependingOnNamespaceLabels();
    if (dependent.isEmpty()) {
      return;
    }
    for (PodMatcher matcher : dependent) {
      NodeCounts counts = matcher.countsOrNull();
      if (counts != null) {
        for (PodEntry pod : pods.inNamespace(name)) {
          if (pod.slot != PodEntry.NOWHERE) {
            recount(pod, matcher, counts, pod.terms.contains(matcher));
            nodes.capacityLog().add(pod.slot);
          }
        }
      }
    }
    matchers.namespaceLabelsChanged();
  }

  /** Answers whether that changed anything. */
  public boolean putPodGroup(PodGroupSelector group) {
    return podGroups.put(group);
  }

  /** Answers whether that changed anything. */
  public boolean removePodGroup(PodGroupSelector.Kind kind, String namespace, String name) {
    return podGroups.remove(kind, namespace, name);
  }

  /** Answers whether that changed anything. */
  public boolean putStorage(StorageObject object) {
    return storage.put(object);
  }

  /** Answers whether that changed anything. */
  public boolean removeStorage(String kind, String namespace, String name) {
    return storage.remove(kind, namespace, name);
  }

  /** One more user of a spec that is in use already. */
  public void retainSpec(SharedSpec spec) {
    spec.uses++;
  }

  /** One user of a spec less. */
  public void releaseSpec(SharedSpec spec) {
    specs.release(spec);
  }
}

package io.berth.engine.state;

import io.berth.engine.devices.DeviceTable;
import io.berth.engine.journal.Journal;
import io.berth.engine.model.Assignment;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PreBindStep;
import io.berth.engine.selector.MatcherSet;
import io.berth.engine.selector.Matchers;
import io.berth.engine.selector.NodeCounts;
import io.berth.engine.selector.PodMatcher;
import io.berth.engine.volume.StorageTable;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The engine's view of the cluster. One thread owns it.
 *
 * <p>Placing a pod, removing it and undoing either are the same operation with a different sign: it
 * updates the node's columns and the counts of every matcher and affinity term that concern the
 * pod. Everything after a savepoint of the {@link #journal} can be undone, so what-if questions are
 * answered on the state itself.
 *
 * <p>A pod on a node that is not known is stored, but not counted until the node is added.
 */
public final class ClusterState {
  /**
   * The parts into which the steps of an attempt are divided: a filter, a score by preference, a
   * score by the usual order, and everything else.
   */
  private static final int PARTS_OF_ATTEMPT = 4;

  private final ResourceNames resources = new ResourceNames();
  private final NodeTable nodes = new NodeTable(resources);
  private final Namespaces namespaces = new Namespaces();
  private final WorkloadSelectors workloadSelectors = new WorkloadSelectors();
  private final PriorityClasses priorityClasses = new PriorityClasses();
  private final Groups groups = new Groups(priorityClasses);
  private final Journal journal = new Journal();
  private final StorageTable storage = new StorageTable(journal);
  private final Matchers matchers = new Matchers();
  private final PodIndex pods = new PodIndex();
  private final MatchCounts counts = new MatchCounts(matchers, namespaces, pods);
  private final UnreadablePods unreadable = new UnreadablePods(this::holdsOtherThanKnown);
  private final UnreadableNodes unreadableNodes = new UnreadableNodes();
  private final SharedAnswers answers;
  private final SharedSpecs specs = new SharedSpecs(matchers);
  private final ChangeLog deviceLog = new ChangeLog();
  private final WorkBudget work = new WorkBudget();
  private final DeviceTable devices =
      new DeviceTable(
          journal,
          new ChangedDevices(nodes, deviceLog),
          () -> work.perNodeOfPart(nodes.size(), PARTS_OF_ATTEMPT));
  private final PodClaims podClaims = new PodClaims(storage, devices, specs);
  private final AwaitingNode awaitingNode = new AwaitingNode(journal);
  private final Budgets budgets = new Budgets();
  private final Timers timers = new Timers();
  private final Gauges gauges = new Gauges(journal, timers);
  private final NodeUsages usages = new NodeUsages(nodes);
  private final HostPorts hostPorts = new HostPorts(journal);
  private final NodeCards cards;
  private final PodHoldings holdings;
  private final DeviceObjects deviceObjects;
  private final EvictionOrder byPriority = new PriorityOrder(nodes);
  private EvictionOrder evictionOrder = byPriority;
  private final PodUses uses = new PodUses(journal);
  private long arrivals;

  /**
   * Creates the state of an empty cluster.
   *
   * @param cacheLimit the limit of the memory for cached answers
   */
  public ClusterState(CacheLimit cacheLimit) {
    this.answers = new SharedAnswers(cacheLimit);
    this.cards = new NodeCards(journal, nodes, pods, devices, deviceLog);
    this.holdings =
        new PodHoldings(
            journal,
            nodes,
            List.of(
                hostPorts,
                new UsedClaims(journal, storage),
                new PlannedClaims(storage, nodes),
                new PlannedDevices(devices, nodes, cards),
                new DevicesOfPods(devices),
                cards,
                cards.planned()));
    this.deviceObjects = new DeviceObjects(devices, podClaims, holdings);
    journal.rewinds(nodes.capacityLog());
    journal.rewinds(deviceLog);
    timers.add(new DeviceDeadlines(devices));
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

  public WorkloadSelectors workloadSelectors() {
    return workloadSelectors;
  }

  /** Returns the groups of pods that are placed together. */
  public Groups groups() {
    return groups;
  }

  /** Returns the journal, which can undo changes. */
  public Journal journal() {
    return journal;
  }

  /** Returns the host ports that pods hold. */
  public HostPorts hostPorts() {
    return hostPorts;
  }

  /** Returns the GPU cards that pods hold. */
  public NodeCards cards() {
    return cards;
  }

  public StorageTable storage() {
    return storage;
  }

  /** Returns the devices, and the claims for them. */
  public DeviceTable devices() {
    return devices;
  }

  /** Returns the cluster objects that describe devices. */
  public DeviceObjects deviceObjects() {
    return deviceObjects;
  }

  /** Returns the log of the nodes whose devices, or their use, changed. */
  public ChangeLog deviceLog() {
    return deviceLog;
  }

  public Matchers matchers() {
    return matchers;
  }

  public PodIndex pods() {
    return pods;
  }

  /** Returns the claims of the known pods. */
  public PodClaims podClaims() {
    return podClaims;
  }

  /** Returns the pods that use an unknown amount of their nodes' resources. */
  public UnreadablePods unreadable() {
    return unreadable;
  }

  /** Returns the number of nodes, and those that cannot be parsed. */
  public NodeCensus census() {
    return new NodeCensus(nodes.size(), unreadableNodes.texts());
  }

  /** Records that a node cannot be parsed. Without an earlier state, it accepts no pods. */
  public void putUnreadableNode(String name, String reason) {
    if (nodes.slotOf(name) < 0) {
      unreadableNodes.put(name, reason);
    }
  }

  private void holdsOtherThanKnown(String nodeName) {
    int slot = nodes.slotOf(nodeName);
    if (slot >= 0) {
      nodes.capacityLog().add(slot);
    }
  }

  /** Returns the remaining steps of the current attempt. */
  public WorkBudget work() {
    return work;
  }

  /** Returns the cached answers. */
  public SharedAnswers answers() {
    return answers;
  }

  public Budgets budgets() {
    return budgets;
  }

  public PriorityClasses priorityClasses() {
    return priorityClasses;
  }

  /** Returns the order that decides which pods may displace which. */
  public EvictionOrder evictionOrder() {
    return evictionOrder;
  }

  /** Sets the order that decides which pods may displace which, instead of priorities. */
  public void displaceBy(EvictionOrder order) {
    evictionOrder = order;
    nodesMayBeFreed();
  }

  /** Lets priorities alone decide which pods may displace which. */
  public void displaceByPriority() {
    displaceBy(byPriority);
  }

  /** Records that other pods may be evicted from every node than before. */
  private void nodesMayBeFreed() {
    nodes.alive().forEach(nodes.capacityLog()::add);
  }

  /** Sets the listener to pods that take or release resources. */
  public void listenToUse(UseListener listener) {
    uses.listen(listener);
  }

  /** Records that the pod was selected for eviction, or that its eviction was rejected. */
  public void choose(PodEntry pod, boolean asVictim) {
    uses.choose(pod, asVictim);
  }

  /** Returns the timers. */
  public Timers timers() {
    return timers;
  }

  /** Returns the measured usage of nodes. */
  public NodeUsages usages() {
    return usages;
  }

  /** Returns the gauges: scoring state that persists between attempts. */
  public Gauges gauges() {
    return gauges;
  }

  /** Returns the number of distinct specs of known pods. */
  public int specs() {
    return specs.size();
  }

  // ---------------------------------------------------------------------------------- pods

  /** Adds a new pod, without placing it. */
  public PodEntry addPod(PodModel model) {
    journal.requireClosed("a new pod");
    PodEntry pod = new PodEntry(model, specs.acquire(model.ref().namespace(), model.spec()));
    pods.add(pod);
    podClaims.add(pod);
    holdings.arrived(model);
    return pod;
  }

  /** Updates a pod; if it is placed, the columns of its node are updated too. */
  public void updatePod(PodEntry pod, PodModel model) {
    journal.requireClosed("a pod's update");
    PodModel before = pod.model();
    boolean specChanged = !before.spec().equals(model.spec());
    boolean termsChanged =
        !before.labels().equals(model.labels()) || before.terminating() != model.terminating();
    if (!specChanged && !termsChanged) {
      pod.setModel(model);
      if (!before.startedAt().equals(model.startedAt())
          || !before.otherQueues().equals(model.otherQueues())
          || !before.group().equals(model.group())) {
        uses.changed(pod);
      }
      if (pod.slot != PodEntry.NOWHERE) {
        if (evictionDiffers(before, model)) {
          nodes.capacityLog().add(pod.slot);
          nodes.leastImportant().changed(pod.slot);
        }
        holdings.changed(pod, before);
      }
      return;
    }
    int slot = pod.slot;
    if (slot != PodEntry.NOWHERE) {
      move(pod, PodEntry.NOWHERE);
    }
    if (specChanged) {
      SharedSpec shared = specs.acquire(model.ref().namespace(), model.spec());
      podClaims.remove(pod);
      holdings.replaced(before, model);
      specs.release(pod.shared);
      pod.shared = shared;
      podClaims.add(pod);
    }
    pod.setModel(model);
    if (!before.labels().equals(model.labels())) {
      pods.relabel(pod);
    }
    if (termsChanged) {
      pod.matchersVersion = -1;
    }
    if (slot != PodEntry.NOWHERE) {
      move(pod, slot);
    }
    uses.changed(pod);
  }

  /**
   * Records a change of the pod that may permit its eviction, and so change what can be freed on
   * its node.
   */
  public void evictionChanged(PodEntry pod) {
    groups.evictionChanged(pod);
    if (pod.slot != PodEntry.NOWHERE) {
      nodes.capacityLog().add(pod.slot);
    }
  }

  /** Removes a pod, placed or not. */
  public void removePod(PodEntry pod) {
    journal.requireClosed("a pod's removal");
    displace(pod);
    pods.remove(pod);
    podClaims.remove(pod);
    holdings.left(pod.model());
    releaseSpec(pod.shared);
  }

  /** Counts the pod on the node with this name, as soon as the node exists. */
  public void place(PodEntry pod, String nodeName) {
    leaveNode(pod, Holding::giveBack);
    placeOrAwait(pod, nodeName);
    uses.occupy(pod, true);
  }

  /**
   * Returns whether pods with the same spec differ in whether they may be evicted, or in the order
   * in which they are spared.
   */
  private static boolean evictionDiffers(PodModel one, PodModel other) {
    return !one.startedAt().equals(other.startedAt())
        || !one.group().equals(other.group())
        || one.mirror() != other.mirror()
        || !one.controller().equals(other.controller());
  }

  private void placeOrAwait(PodEntry pod, String nodeName) {
    int slot = nodes.slotOf(nodeName);
    if (slot < 0) {
      awaitingNode.add(pod, nodeName);
    } else {
      place(pod, slot);
    }
  }

  /** Counts the pod on the node in this slot, with its holdings there. */
  public void place(PodEntry pod, int slot) {
    takeOff(pod);
    move(pod, slot);
    pod.arrival = ++arrivals;
  }

  /** Places the pod as decided, with all planned holdings. */
  public void assume(PodEntry pod, int slot) {
    place(pod, slot);
    uses.occupy(pod, true);
    holdings.decided(pod);
  }

  /**
   * Places the pod as decided by another engine. What was planned for it counts even if its node
   * does not exist any more: others may want it on their nodes.
   *
   * @param preBind the planned steps
   * @param assignments the assignments of the decision
   */
  public void assume(
      PodEntry pod, String nodeName, List<PreBindStep> preBind, List<Assignment> assignments) {
    leaveNode(pod, Holding::giveBack);
    holdings.plan(pod, holdings.handedOver(pod, preBind, assignments));
    placeOrAwait(pod, nodeName);
    uses.occupy(pod, true);
    pod.planned.forEach(Holding::take);
  }

  /** Counts what another engine planned for a pod that is gone while its Binding is in flight. */
  public void assumeWithoutPod(String podUid, List<PreBindStep> preBind) {
    holdings.handedOverWithoutPod(podUid, preBind);
  }

  /**
   * Handles the end of a Binding whose pod is gone: nothing is planned for it any more.
   *
   * @param confirmed whether the pod was bound, so that the objects will reflect what was planned
   */
  public void endedWithoutPod(String podUid, boolean confirmed) {
    holdings.endedWithoutPod(podUid, confirmed);
  }

  /** Drops the completed plans of a pod, which the objects themselves reflect from now on. */
  public void settle(PodEntry pod) {
    holdings.confirmed(pod);
  }

  /** Removes the pod from its node; its planned holdings are kept. */
  public void takeOff(PodEntry pod) {
    if (pod.slot != PodEntry.NOWHERE) {
      move(pod, PodEntry.NOWHERE);
    } else {
      awaitingNode.remove(pod);
    }
  }

  /** Removes the pod from its node, in a dry run of its eviction. */
  public void evictInDryRun(PodEntry pod) {
    int slot = pod.slot;
    takeOff(pod);
    holdings.evictedInDryRun(pod, slot);
  }

  /** Returns what the pod lacks on the node in this slot while other pods hold it. */
  public List<Shortage> shortages(PodEntry pod, int slot) {
    return holdings.shortages(pod, slot);
  }

  /** Handles an aborted attempt at the pod: nothing is planned for it. */
  public void abandon(PodEntry pod) {
    displace(pod);
    holdings.abandoned(pod);
  }

  /** Removes the pod from its node, and releases its planned holdings. */
  public void displace(PodEntry pod) {
    leaveNode(pod, Holding::giveBack);
    uses.occupy(pod, false);
  }

  /** Removes a pod from its node that is gone while its Binding is in flight. */
  public void displaceGone(PodEntry pod) {
    leaveNode(pod, Holding::podIsGone);
    uses.occupy(pod, false);
  }

  private void leaveNode(PodEntry pod, Consumer<Holding> release) {
    takeOff(pod);
    pod.planned.forEach(release);
    holdings.plan(pod, List.of());
  }

  private void move(PodEntry pod, int slot) {
    int from = pod.slot;
    if (journal.isOpen()) {
      long arrivalBefore = pod.arrival;
      journal.record(
          () -> {
            move(pod, from);
            pod.arrival = arrivalBefore;
          });
    }
    if (from != PodEntry.NOWHERE) {
      holdings.releaseOnNode(pod);
      nodes.removePod(from, pod);
      counts.count(pod, from, -1);
      pod.slot = PodEntry.NOWHERE;
    }
    if (slot != PodEntry.NOWHERE) {
      matchersOf(pod);
      pod.slot = slot;
      nodes.addPod(slot, pod);
      counts.count(pod, slot, 1);
      holdings.chooseOnNode(pod);
    }
  }

  /** Returns the matchers that currently select the pod. */
  public MatcherSet matchersOf(PodEntry pod) {
    return counts.matchersOf(pod);
  }

  /** Returns the number of placed pods that match, by node; kept up to date from now on. */
  public NodeCounts countsOf(PodMatcher matcher) {
    return counts.of(matcher);
  }

  /** Returns the number of pods that were examined to initialize counts, for tests. */
  public long recounts() {
    return counts.recounts();
  }

  // ---------------------------------------------------------------------------------- nodes

  /**
   * Adds or updates a node.
   *
   * @return its previous model; null if the node is new
   */
  public @Nullable NodeModel putNode(NodeModel node) {
    journal.requireClosed("a node's update");
    unreadableNodes.remove(node.name());
    int slot = nodes.slotOf(node.name());
    if (slot >= 0) {
      NodeModel before = nodes.model(slot);
      nodes.update(slot, node);
      holdings.nodeChanged(slot, before, node);
      return before;
    }
    int added = nodes.add(node);
    holdings.nodeAdded(added, node);
    for (PodEntry pod : awaitingNode.take(node.name())) {
      move(pod, added);
      if (pod.arrival == 0) {
        pod.arrival = ++arrivals;
      }
      groups.evictionChanged(pod);
    }
    return null;
  }

  /**
   * Removes a node. Its pods are not counted until it comes back, or until they are seen on another
   * node.
   *
   * @return its previous model; null if it was not known
   */
  public @Nullable NodeModel removeNode(String name) {
    journal.requireClosed("a node's removal");
    unreadableNodes.remove(name);
    int slot = nodes.slotOf(name);
    if (slot < 0) {
      return null;
    }
    NodeModel before = nodes.model(slot);
    while (nodes.podCount(slot) > 0) {
      PodEntry pod = nodes.pod(slot, nodes.podCount(slot) - 1);
      move(pod, PodEntry.NOWHERE);
      groups.evictionChanged(pod);
      awaitingNode.add(pod, name);
    }
    holdings.nodeRemoved(slot);
    usages.forget(name);
    nodes.remove(slot);
    return before;
  }

  // ---------------------------------------------------------------------------------- the rest

  /** Returns whether this changed anything. */
  public boolean putNamespace(String name, Map<String, String> labels) {
    boolean changed = namespaces.put(name, labels);
    if (changed) {
      namespaceChanged(name);
    }
    return changed;
  }

  /** Returns whether this changed anything. */
  public boolean removeNamespace(String name) {
    boolean changed = namespaces.remove(name);
    if (changed) {
      namespaceChanged(name);
    }
    return changed;
  }

  private void namespaceChanged(String name) {
    counts.namespaceChanged(name, slot -> nodes.capacityLog().add(slot));
  }

  /** Adds a use of a spec that is already in use. */
  public void retainSpec(SharedSpec spec) {
    spec.uses++;
  }

  /** Releases one use of a spec. */
  public void releaseSpec(SharedSpec spec) {
    specs.release(spec);
  }
}

package io.berth.engine.state;

import io.berth.engine.model.NodeModel;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.model.Taint;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Node columns.
 *
 * <p>Each node has a slot, a small number that is reused after the node is removed. The data that
 * plugins read is in arrays indexed by slot. Each group of columns has a {@link ChangeLog}, so that
 * cached answers are computed again only for nodes that changed.
 */
public final class NodeTable {
  private static final NodeModel[] NO_MODELS = {};
  private static final long[] NO_COLUMN = {};

  private final ResourceNames resources;
  private final Map<String, Integer> slotByName = new HashMap<>();
  private final Deque<Integer> freeSlots = new ArrayDeque<>();
  private final Map<List<Taint>, TaintSet> taintSets = new HashMap<>();
  private final NodeOrder order = new NodeOrder();
  private final LabelKeys labelKeys = new LabelKeys();
  private final NodeSet alive = new NodeSet();
  private final NodeSet unschedulable = new NodeSet();
  private final ChangeLog capacityLog = new ChangeLog();
  private final ChangeLog labelLog = new ChangeLog();
  private final ChangeLog taintLog = new ChangeLog();
  private final ChangeLog imageLog = new ChangeLog();
  private final ChangeLog membershipLog = new ChangeLog();
  private final PlacedPriorities priorities = new PlacedPriorities();
  private final ChangeLog featureLog = new ChangeLog();
  private final LeastImportantPods leastImportant = new LeastImportantPods(this);

  private int slots;
  private NodeModel[] models = NO_MODELS;
  private TaintSet[] taints = {};
  private long[][] allocatable = new long[ResourceNames.FIXED][];
  private long[][] requested = new long[ResourceNames.FIXED][];
  private long[] scoredMilliCpu = {};
  private long[] scoredMemory = {};
  private long[] maxPods = {};
  private int[] podCount = {};
  private PodEntry[][] pods = {};

  NodeTable(ResourceNames resources) {
    this.resources = resources;
    Arrays.fill(allocatable, NO_COLUMN);
    Arrays.fill(requested, NO_COLUMN);
  }

  // ---------------------------------------------------------------------------------- reading

  /** Returns the columns of resources. */
  ResourceNames resources() {
    return resources;
  }

  /** Returns the largest slot ever in use plus one: the bound of every loop over nodes. */
  public int slots() {
    return slots;
  }

  /** Returns the number of slots to allocate when a column grows; greater than {@link #slots}. */
  public int roomForSlots() {
    return Math.max(64, slots + slots / 8);
  }

  /** Returns the number of nodes. */
  public int size() {
    return slotByName.size();
  }

  /** Returns the slots in use. */
  public NodeSet alive() {
    return alive;
  }

  /** Returns the order in which a search that may end early visits the nodes. */
  public NodeOrder order() {
    return order;
  }

  /** Returns the keys of the nodes' labels. */
  public LabelKeys labelKeys() {
    return labelKeys;
  }

  /** Returns the node's slot; -1 if there is no such node. */
  public int slotOf(String name) {
    return slotByName.getOrDefault(name, -1);
  }

  /** Returns the node in a slot that is in use. */
  public NodeModel model(int slot) {
    return models[slot];
  }

  public String name(int slot) {
    return models[slot].name();
  }

  public TaintSet taints(int slot) {
    return taints[slot];
  }

  /** Returns whether the node is cordoned. */
  public boolean isUnschedulable(int slot) {
    return unschedulable.contains(slot);
  }

  /**
   * Returns the node's allocatable amount of a resource; the column is one of {@link
   * ResourceNames}, or -1.
   */
  public long allocatable(int column, int slot) {
    return column < 0 ? 0 : allocatable[column][slot];
  }

  /**
   * Returns the amount of a resource that the node's pods request; the column is one of {@link
   * ResourceNames}, or -1.
   */
  public long requested(int column, int slot) {
    return column < 0 ? 0 : requested[column][slot];
  }

  /**
   * Returns the allocatable amounts of a resource by slot; valid until a node is added or changed,
   * as are the other columns. Callers must not modify it.
   */
  public long[] allocatable(int column) {
    return allocatable[column];
  }

  /** Returns the amounts of a resource that the nodes' pods request, by slot. */
  public long[] requested(int column) {
    return requested[column];
  }

  /**
   * Returns the CPU requests for scoring by slot: with defaults for containers without requests.
   */
  public long[] scoredMilliCpu() {
    return scoredMilliCpu;
  }

  /** Returns the memory requests for scoring by slot, with defaults for containers without. */
  public long[] scoredMemory() {
    return scoredMemory;
  }

  /** Returns the maximum number of pods on the node. */
  public long maxPods(int slot) {
    return maxPods[slot];
  }

  /** Returns the number of pods on the node. */
  public int podCount(int slot) {
    return podCount[slot];
  }

  /** Returns the i-th pod of the node, with i below {@link #podCount}. */
  public PodEntry pod(int slot, int i) {
    return pods[slot][i];
  }

  /** Calls the receiver with each pod on each node, by slot. */
  public void forEachPod(Consumer<PodEntry> receiver) {
    alive.forEach(
        slot -> {
          for (int i = 0; i < podCount[slot]; i++) {
            receiver.accept(pods[slot][i]);
          }
        });
  }

  /** Returns the log of changes of allocatable resources and of pods. */
  public ChangeLog capacityLog() {
    return capacityLog;
  }

  /** Returns the log of label changes; every log includes added and removed nodes. */
  public ChangeLog labelLog() {
    return labelLog;
  }

  /** Returns the log of changes of taints and cordoning. */
  public ChangeLog taintLog() {
    return taintLog;
  }

  /** Returns the log of changes of images. */
  public ChangeLog imageLog() {
    return imageLog;
  }

  /** Returns the log of added and removed nodes. */
  public ChangeLog membershipLog() {
    return membershipLog;
  }

  /** Returns the log of changes of declared features. */
  public ChangeLog featureLog() {
    return featureLog;
  }

  // ---------------------------------------------------------------------------------- nodes

  int add(NodeModel node) {
    int slot = freeSlots.isEmpty() ? slots++ : freeSlots.pop();
    grow();
    models[slot] = node;
    slotByName.put(node.name(), slot);
    alive.add(slot);
    order.add(slot, node);
    labelKeys.add(node.labels());
    setTaints(slot, node);
    setAllocatable(slot, ResourceAmounts.none(), node.allocatable());
    logAll(slot);
    return slot;
  }

  void update(int slot, NodeModel node) {
    NodeModel before = models[slot];
    models[slot] = node;
    if (!before.allocatable().equals(node.allocatable())) {
      setAllocatable(slot, before.allocatable(), node.allocatable());
      capacityLog.add(slot);
    }
    if (!before.taints().equals(node.taints()) || before.unschedulable() != node.unschedulable()) {
      releaseTaints(slot);
      setTaints(slot, node);
      taintLog.add(slot);
    }
    if (!before.labels().equals(node.labels())) {
      order.update(slot, before, node);
      labelKeys.add(node.labels());
      labelKeys.remove(before.labels());
      labelLog.add(slot);
    }
    if (!before.images().equals(node.images())) {
      imageLog.add(slot);
    }
    if (!before.declaredFeatures().equals(node.declaredFeatures())) {
      featureLog.add(slot);
    }
  }

  /** Removes a node, which must not have pods. */
  void remove(int slot) {
    NodeModel node = models[slot];
    setAllocatable(slot, node.allocatable(), ResourceAmounts.none());
    labelKeys.remove(node.labels());
    releaseTaints(slot);
    slotByName.remove(node.name());
    order.remove(slot, node);
    alive.remove(slot);
    unschedulable.remove(slot);
    models[slot] = null;
    taints[slot] = null;
    freeSlots.push(slot);
    logAll(slot);
  }

  private void logAll(int slot) {
    membershipLog.add(slot);
    capacityLog.add(slot);
    labelLog.add(slot);
    taintLog.add(slot);
    imageLog.add(slot);
    featureLog.add(slot);
  }

  private void setTaints(int slot, NodeModel node) {
    TaintSet set = taintSets.computeIfAbsent(node.taints(), TaintSet::new);
    set.nodes++;
    taints[slot] = set;
    unschedulable.put(slot, node.unschedulable());
  }

  private void releaseTaints(int slot) {
    if (--taints[slot].nodes == 0) {
      taintSets.remove(taints[slot].taints());
    }
  }

  /**
   * Replaces the amounts of a node. A resource that is still offered keeps its column, because the
   * new amounts are added before the old ones are removed.
   */
  private void setAllocatable(int slot, ResourceAmounts before, ResourceAmounts now) {
    maxPods[slot] = now.amountOf(ResourceAmounts.PODS);
    for (int i = 0; i < now.size(); i++) {
      if (isOffered(now, i)) {
        long version = resources.version();
        int column = resources.acquire(now.name(i));
        if (version != resources.version()) {
          open(column);
        }
      }
    }
    for (int i = 0; i < before.size(); i++) {
      if (isOffered(before, i)) {
        int column = resources.idOf(before.name(i));
        allocatable[column][slot] = 0;
        if (resources.release(column)) {
          allocatable[column] = NO_COLUMN;
          requested[column] = NO_COLUMN;
        }
      }
    }
    for (int i = 0; i < now.size(); i++) {
      if (isOffered(now, i)) {
        allocatable[resources.idOf(now.name(i))][slot] = now.amount(i);
      }
    }
  }

  private static boolean isOffered(ResourceAmounts amounts, int i) {
    return amounts.amount(i) > 0 && !amounts.name(i).equals(ResourceAmounts.PODS);
  }

  /**
   * Initializes the column of a resource that no node offered before with the requests of the pods.
   */
  private void open(int column) {
    if (column >= allocatable.length) {
      int columns = resources.columns();
      allocatable = Arrays.copyOf(allocatable, columns);
      requested = Arrays.copyOf(requested, columns);
    }
    allocatable[column] = new long[models.length];
    long[] held = new long[models.length];
    requested[column] = held;
    String name = resources.nameOf(column);
    alive.forEach(
        slot -> {
          for (int i = 0; i < podCount[slot]; i++) {
            held[slot] += pods[slot][i].spec().requests().held().amountOf(name);
          }
        });
  }

  private void grow() {
    if (slots <= models.length) {
      return;
    }
    int capacity = roomForSlots();
    models = Arrays.copyOf(models, capacity);
    taints = Arrays.copyOf(taints, capacity);
    scoredMilliCpu = Arrays.copyOf(scoredMilliCpu, capacity);
    scoredMemory = Arrays.copyOf(scoredMemory, capacity);
    maxPods = Arrays.copyOf(maxPods, capacity);
    podCount = Arrays.copyOf(podCount, capacity);
    pods = Arrays.copyOf(pods, capacity);
    for (int column = 0; column < allocatable.length; column++) {
      if (column < ResourceNames.FIXED || allocatable[column].length > 0) {
        allocatable[column] = Arrays.copyOf(allocatable[column], capacity);
        requested[column] = Arrays.copyOf(requested[column], capacity);
      }
    }
    alive.grow(capacity);
    unschedulable.grow(capacity);
    leastImportant.grow(capacity);
  }

  // ---------------------------------------------------------------------------------- pods

  /** Returns the lowest priority of the pods on nodes; the maximum value if there are none. */
  public int lowestPriority() {
    return priorities.lowest();
  }

  /** Returns the least important pods of each node. */
  public LeastImportantPods leastImportant() {
    return leastImportant;
  }

  void addPod(int slot, PodEntry pod) {
    PodEntry[] here = pods[slot];
    int count = podCount[slot];
    if (here == null) {
      here = new PodEntry[8];
      pods[slot] = here;
    } else if (count == here.length) {
      here = Arrays.copyOf(here, count * 2);
      pods[slot] = here;
    }
    here[count] = pod;
    pod.indexOnNode = count;
    podCount[slot] = count + 1;
    priorities.count(pod.priority(), 1);
    charge(slot, pod.shared, 1);
    leastImportant.placed(slot, pod);
  }

  void removePod(int slot, PodEntry pod) {
    PodEntry[] here = pods[slot];
    int last = --podCount[slot];
    PodEntry moved = here[last];
    here[pod.indexOnNode] = moved;
    moved.indexOnNode = pod.indexOnNode;
    clearPlace(here, last);
    pod.indexOnNode = -1;
    priorities.count(pod.priority(), -1);
    charge(slot, pod.shared, -1);
    leastImportant.changed(slot);
  }

  private static void clearPlace(PodEntry[] here, int place) {
    here[place] = null;
  }

  private void charge(int slot, SharedSpec spec, int sign) {
    spec.locate(resources);
    int[] columns = spec.heldColumns();
    long[] amounts = spec.heldAmounts();
    for (int i = 0; i < columns.length; i++) {
      requested[columns[i]][slot] += sign * amounts[i];
    }
    scoredMilliCpu[slot] += sign * spec.spec().requests().heldScoredMilliCpu();
    scoredMemory[slot] += sign * spec.spec().requests().heldScoredMemoryBytes();
    capacityLog.add(slot);
  }
}

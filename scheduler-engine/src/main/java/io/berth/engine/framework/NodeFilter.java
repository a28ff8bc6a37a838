package io.berth.engine.framework;

import io.berth.engine.state.ChangeLog;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NarrowColumn;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.RecentChanges;
import io.berth.engine.state.SharedAnswers;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The verdicts of one filter on every node, for pods of one kind. They are cached between pods, and
 * computed again only for nodes that changed.
 *
 * <p>Verdicts are all that a filter must have. What it also knows about dry runs and the room for
 * groups saves work: {@link DryRunHints}, {@link GroupRoom}.
 *
 * <p>To <em>refresh</em> means to apply the changes in the cluster since the last refresh: {@link
 * #refreshInputs} applies them to the inputs other than the node's own columns, {@link #refresh} to
 * the verdicts. To <em>recheck</em> means to compute the verdict on one node again: {@link
 * #refresh} rechecks the nodes in the filter's logs and those that {@link #recheckByInputs}
 * selects.
 */
public abstract class NodeFilter implements SharedAnswers.Answer {
  /** The verdict for a node that passes. */
  public static final int PASSES = 0;

  /** The number of recently changed nodes that readers can look up. */
  private static final int PUBLISHED = 128;

  /** The empty set; must not be modified. */
  protected static final NodeSet NO_NODES = new NodeSet();

  protected final ClusterState state;
  protected final NodeTable nodes;
  private final Object question;
  private final ChangeLog[] logs;
  private final long[] seen;
  private final NodeSet rejected = new NodeSet();
  private final VerdictIds verdicts = new VerdictIds();

  /** The verdicts by slot; allocated for the first node that does not pass. */
  private final NarrowColumn verdictOf = new NarrowColumn();

  /** The number of slots that there is room for. */
  private int capacity;

  private long evaluations;
  private final RecentChanges changes = new RecentChanges(PUBLISHED);
  private final RecentChanges roomChanges = new RecentChanges(PUBLISHED);
  private boolean boundsRoom;
  private boolean resized;

  /** The memory of the verdicts and their changes, as of the last charge. */
  private long chargedColumns;

  private @Nullable DomainGate gate;

  /**
   * Creates a filter that rechecks the nodes in these logs.
   *
   * @param question the key under which the filter is shared
   */
  protected NodeFilter(Object question, ClusterState state, ChangeLog... logs) {
    this.question = question;
    this.state = state;
    this.nodes = state.nodes();
    this.logs = logs;
    this.seen = new long[logs.length];
  }

  /** Returns the verdict on one node that exists: {@link #PASSES} or an {@link #idOf}. */
  protected abstract int check(int slot);

  /**
   * Refreshes the inputs: everything that {@link #check} reads other than the node's own columns,
   * such as sums that are shared with other answers, and the outside counts. Rechecks nothing.
   */
  public void refreshInputs() {}

  /**
   * Calls {@link #recheck} for each node whose verdict may have changed through the inputs; called
   * after {@link #refreshInputs}.
   *
   * @return whether every node has to be rechecked instead
   */
  protected boolean recheckByInputs() {
    return false;
  }

  /**
   * Returns the only nodes that may be rejected: all others pass for certain, and do not have to be
   * rechecked. Asked when every node would have to be rechecked, after the inputs were refreshed.
   *
   * @return empty if any node may be rejected
   */
  protected Optional<NodeSet> mayReject() {
    return Optional.empty();
  }

  /**
   * Returns the verdict that rejects the pod on every node, if there is one; called after {@link
   * #refresh}.
   */
  public Optional<Verdict> rejectsPod() {
    return Optional.empty();
  }

  /** Returns the names of the only nodes that can pass; empty if there is no such restriction. */
  public Optional<Set<String>> onlyNodes() {
    return Optional.empty();
  }

  /** Returns whether the verdict on a node depends on any pods, on this node or others. */
  public boolean readsPods() {
    return true;
  }

  /**
   * Returns whether the verdict on a node depends on the pod and the node alone, also as far as
   * their volumes and devices are in use by others.
   */
  public boolean ignoresUse() {
    return !readsPods();
  }

  /** Returns what dry runs may know about the verdicts. */
  public DryRunHints dryRunHints() {
    return readsPods() ? DryRunHints.NONE : DryRunHints.SETTLED_EVERYWHERE;
  }

  /** Returns the room for members of groups; empty if the filter has no bound of its own. */
  public Optional<GroupRoom> groupRoom() {
    return Optional.empty();
  }

  /**
   * Returns a version that changes with any input other than the nodes, their pods and the outside
   * counts, such as storage objects.
   */
  public long otherInputsVersion() {
    return 0;
  }

  /** Refreshes the inputs, and rechecks every node with a logged change. */
  public final void refresh() {
    if (capacity < nodes.slots()) {
      capacity = nodes.roomForSlots();
      if (verdictOf.length() > 0) {
        verdictOf.grow(capacity);
      }
      rejected.grow(capacity);
      changes.keepFor(nodes.slots());
      boundsRoom = groupRoom().isPresent();
      if (boundsRoom) {
        roomChanges.keepFor(nodes.slots());
      }
      resized = true;
    }
    refreshInputs();
    boolean all = recheckByInputs();
    for (int i = 0; i < logs.length; i++) {
      seen[i] = all ? logs[i].head() : logs[i].visit(seen[i], this::recheck);
    }
    if (all) {
      recheckAll();
    }
    long columns = verdictOf.bytes() + changes.bytes() + roomChanges.bytes();
    if (all || resized || columns != chargedColumns) {
      resized = false;
      chargedColumns = columns;
      state.answers().resized(this);
    }
  }

  private void recheckAll() {
    Optional<NodeSet> suspects = mayReject();
    if (suspects.isPresent()) {
      NodeSet cleared = NodeSet.copyOf(rejected);
      cleared.removeAll(suspects.get());
      cleared.forEach(slot -> put(slot, PASSES));
      suspects.get().forEach(this::recheck);
      return;
    }
    for (int slot = 0; slot < nodes.slots(); slot++) {
      if (nodes.alive().contains(slot)) {
        recheck(slot);
      } else {
        put(slot, PASSES);
      }
    }
  }

  /**
   * Has the filter reject whole domains through the gate, while that is {@linkplain
   * DomainGate#isUsed in use}. {@link #recheckByInputs} then calls {@link #resetGate} before it has
   * every node rechecked, and otherwise {@link #turn} for each domain that opens or closes.
   */
  protected final void rejectBy(DomainGate ofDomains) {
    gate = ofDomains;
  }

  /** Returns the gate that rejects whole domains; absent if there is none. */
  public final Optional<DomainGate> gate() {
    return Optional.ofNullable(gate);
  }

  /** Computes again which domains are closed. */
  protected final void resetGate(DomainGate ofDomains, IntPredicate closes) {
    if (ofDomains.reset(closes)) {
      changes.addAll();
    }
  }

  /** Closes an open domain of the gate, or opens a closed one. */
  protected final void turn(DomainGate ofDomains, int domain) {
    NodeSet turned = ofDomains.nodesIn(domain);
    state.work().spend(turned.words().length);
    ofDomains.turn(domain);
    if (ofDomains.closes(domain)) {
      rejected.addAll(turned);
    } else {
      rejected.removeAll(turned);
    }
  }

  /** Returns whether all 64 slots of a word have this verdict, apart from that of the gate. */
  public final boolean isVerdictOnAll(int word, int verdict) {
    int from = word << 6;
    int to = from + 64;
    return to <= verdictOf.length()
        && verdictOf.get(from) == verdict
        && verdictOf.isUniform(from, to);
  }

  /** Returns the verdict apart from that of the gate. */
  private int ownVerdictAt(int slot) {
    return slot < verdictOf.length() ? verdictOf.get(slot) : PASSES;
  }

  private boolean isBehindGate(int slot) {
    return gate != null && gate.closedNodes().contains(slot);
  }

  /** Computes the verdict on one node again. */
  protected final void recheck(int slot) {
    if (slot < capacity) {
      put(slot, nodes.alive().contains(slot) ? check(slot) : PASSES);
      evaluations++;
      state.work().spend(1);
    }
  }

  /** Sets the verdict on one node. */
  protected final void put(int slot, int verdict) {
    int own = isBehindGate(slot) ? PASSES : verdict;
    if (ownVerdictAt(slot) != own) {
      if (verdictOf.length() == 0) {
        verdictOf.grow(capacity);
        resized = true;
      }
      verdictOf.set(slot, own);
      changes.add(slot);
    }
    rejected.put(slot, verdict != PASSES);
    if (boundsRoom) {
      roomChanges.add(slot);
    }
  }

  /**
   * Returns whether a node that the filter rejects stays rejected as members of a group are placed.
   * They may satisfy other filters, such as required affinity to each other.
   */
  public final boolean keepsRejecting() {
    return !readsPods() || groupRoom().isPresent();
  }

  /**
   * Returns the nodes whose {@linkplain #groupRoom room} may have changed last; none if it has no
   * such bound.
   */
  public final RecentChanges roomChanges() {
    return roomChanges;
  }

  /**
   * Returns the verdict on a node as of the last refresh: {@link #PASSES}, or an id for {@link
   * #verdict}.
   */
  public final int verdictAt(int slot) {
    return gate != null && isBehindGate(slot) ? gate.verdict() : ownVerdictAt(slot);
  }

  /**
   * Returns the nodes whose verdict changed last, for answers that build on the verdicts; not those
   * whose domain was opened or closed by the {@link #gate}.
   */
  public final RecentChanges changes() {
    return changes;
  }

  /** Returns the nodes that were rejected as of the last refresh; callers must not modify it. */
  public final NodeSet rejected() {
    return rejected;
  }

  /** Computes the verdict on one node in the current state, without storing it. */
  public final int evaluate(int slot) {
    state.work().spend(1);
    refreshInputs();
    return check(slot);
  }

  /**
   * Computes the same as {@link #evaluate(int)}, and narrows the ranges of the outside counts.
   *
   * @param first the index in the ranges of the filter's first count
   */
  public final int evaluate(int slot, StableRanges ranges, int first) {
    state.work().spend(1);
    refreshInputs();
    DryRunHints hints = dryRunHints();
    if (hints.outsideCounts() == 0) {
      return check(slot);
    }
    ranges.countFrom(first);
    return hints.check(slot, ranges);
  }

  /** Returns the meaning of a verdict other than {@link #PASSES}. */
  public final Verdict verdict(int id) {
    return verdicts.verdict(id);
  }

  /** Returns the largest verdict plus one. */
  public final int verdicts() {
    return verdicts.size();
  }

  /** Returns the id of a verdict of this filter. */
  protected final int idOf(Verdict verdict) {
    int before = verdicts.size();
    int id = verdicts.idOf(verdict);
    resized |= verdicts.size() > before;
    return id;
  }

  /** Returns the number of node checks so far; tests compare it with the number of changes. */
  public final long evaluations() {
    return evaluations;
  }

  /** Releases one use of the filter. */
  public final void release() {
    state.answers().release(question);
  }

  /** Returns whether the filter is still shared, because a cached plan uses it. */
  public final boolean isHeld() {
    return state.answers().holds(this);
  }

  @Override
  public final long bytes() {
    return 500L
        + changes.bytes()
        + roomChanges.bytes()
        + verdictOf.bytes()
        + rejected.bytes()
        + verdicts.bytes()
        + (gate == null ? 0 : gate.bytes())
        + ownBytes();
  }

  /** Returns the memory of the filter's own columns, in bytes, without the verdicts. */
  protected long ownBytes() {
    return 0;
  }

  @Override
  public void close() {}
}

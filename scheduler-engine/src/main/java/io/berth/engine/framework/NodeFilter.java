package io.berth.engine.framework;

import io.berth.engine.state.Answers;
import io.berth.engine.state.ChangeLog;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.RecentChanges;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One filter's verdicts for pods of one kind, for every node, remembered between pods and worked
 * out again only for nodes that changed.
 *
 * <p>Two words name what keeps them current. To <em>refresh</em> is to take over what changed in
 * the cluster since the last time: {@link #refreshInputs} does so for what this filter reads beside
 * the node's own columns, {@link #refresh} for the verdicts themselves. To <em>recheck</em> is to
 * work out the verdict on one node again, as {@link #refresh} does for the nodes in the filter's
 * logs and for those that {@link #recheckByInputs} names.
 */
public abstract class NodeFilter implements Answers.Answer {
  /** The verdict that lets a pod pass. */
  public static final int PASSES = 0;

  /** The number of nodes whose verdict changed last that are known to readers. */
  private static final int PUBLISHED = 128;

  protected final ClusterState state;
  protected final NodeTable nodes;
  private final Object question;
  private final ChangeLog[] logs;
  private final long[] seen;
  private final NodeSet rejected = new NodeSet();
  private final List<Verdict> verdicts = new ArrayList<>();
  private final Map<Verdict, Integer> idOfVerdict = new HashMap<>();
  private short[] verdictOf = {};
  private long evaluations;
  private long verdictBytes;
  private final RecentChanges changes = new RecentChanges(PUBLISHED);
  private final RecentChanges roomChanges = new RecentChanges(PUBLISHED);
  private boolean resized;

  /**
   * A filter that looks again at the nodes in these logs.
   *
   * @param question the key under which it is shared
   */
  protected NodeFilter(Object question, ClusterState state, ChangeLog... logs) {
    this.question = question;
    this.state = state;
    this.nodes = state.nodes();
    this.logs = logs;
    this.seen = new long[logs.length];
    // The id of passing.
    verdicts.add(Verdict.unschedulable("passes"));
  }

  /** The verdict on one node that is alive: {@link #PASSES} or an {@link #idOf}. */
  protected abstract int check(int slot);

  /**
   * Refreshes the inputs: all that {@link #check} reads beside the node's own columns, such as sums
   * that other answers share, and the outside counts. Rechecks nothing.
   */
  public void refreshInputs() {}

  /**
   * Calls {@link #recheck} for each node whose verdict may have changed through the inputs; asked
   * after they were refreshed.
   *
   * @return whether every node has to be rechecked instead
   */
  protected boolean recheckByInputs() {
    return false;
  }

  /**
   * Returns whether every node passes for certain, so that none has to be rechecked; asked after
   * the inputs were refreshed.
   */
  protected boolean passesEverywhere() {
    return false;
  }

  /** Rejects the pod as a whole, whatever the node; asked after {@link #refresh}. */
  public Optional<Verdict> rejectsPod() {
    return Optional.empty();
  }

  /** The names of the only nodes worth a look; empty where all are. */
  public Optional<Set<String>> onlyNodes() {
    return Optional.empty();
  }

  /** Returns whether the verdict on a node depends on pods at all, on this node or on others. */
  public boolean readsPods() {
    return true;
  }

  /** Returns whether there can be nodes that are {@link #isSettled}. */
  public boolean maySettle() {
    return !readsPods();
  }

  /**
   * Returns whether the verdict on a node, as of the last refresh, stays whichever pods leave it.
   */
  public boolean isSettled(int slot) {
    return !readsPods();
  }

  /**
   * The number of outside counts: counts of pods beyond the node that decide on the node, such as
   * the matching pods in its zone. They, the node's columns and its pods determine the verdict,
   * unless {@link #maySettle}.
   */
  public int outsideCounts() {
    return 0;
  }

  /** Changes when the outside counts are of something else. */
  public long outsideCountsVersion() {
    return 0;
  }

  /** One of the outside counts for a node, as of the last {@link #refreshInputs}. */
  public long outsideCount(int number, int slot) {
    throw new IllegalArgumentException("no outside count " + number);
  }

  /**
   * Changes with anything that the verdicts depend on beside the nodes, their pods and the outside
   * counts: storage objects, say.
   */
  public long otherInputsVersion() {
    return 0;
  }

  /** Refreshes the inputs, and rechecks every node on which anything changed that was logged. */
  public final void refresh() {
    if (verdictOf.length < nodes.slots()) {
      int capacity = nodes.roomForSlots();
      verdictOf = Arrays.copyOf(verdictOf, capacity);
      rejected.grow(capacity);
      changes.keepFor(nodes.slots());
      if (boundsRoom()) {
        roomChanges.keepFor(nodes.slots());
      }
      resized = true;
    }
    refreshInputs();
    boolean all = recheckByInputs();
    for (int i = 0; i < logs.length; i++) {
      seen[i] = all ? logs[i].head() : logs[i].visit(seen[i], this::recheck);
    }
    if (all && passesEverywhere()) {
      NodeSet.copyOf(rejected).forEach(slot -> put(slot, PASSES));
    } else if (all) {
      for (int slot = 0; slot < nodes.slots(); slot++) {
        if (nodes.alive().contains(slot)) {
          recheck(slot);
        } else {
          put(slot, PASSES);
        }
      }
    }
    if (all || resized) {
      resized = false;
      state.answers().resized(question);
    }
  }

  /** Works out the verdict on one node again. */
  protected final void recheck(int slot) {
    if (slot < verdictOf.length) {
      put(slot, nodes.alive().contains(slot) ? check(slot) : PASSES);
      evaluations++;
      state.work().spend(1);
    }
  }

  /** Sets the verdict on one node. */
  protected final void put(int slot, int verdict) {
    if (verdictOf[slot] != verdict) {
      verdictOf[slot] = (short) verdict;
      changes.add(slot);
    }
    rejected.put(slot, verdict != PASSES);
    if (boundsRoom()) {
      roomChanges.add(slot);
    }
  }

  /**
   * Returns a number of pods without which the filter certainly does not let the pod pass: at least
   * so many of these have to leave the node. It lets preemption pass over nodes that cannot be the
   * best; 1 is never wrong.
   *
   * @param mayLeave pods on the node, at least one
   */
  public int fewestToLeave(int slot, List<PodEntry> mayLeave) {
    return 1;
  }

  /** Returns whether {@link #room} says more than the verdict does. */
  public boolean boundsRoom() {
    return false;
  }

  /**
   * Returns an upper bound of the number of pods of this kind that the node could take one after
   * the other, as of the last refresh; asked where {@link #boundsRoom}.
   */
  public int room(int slot) {
    return Integer.MAX_VALUE;
  }

  /** The nodes whose {@link #room} may have changed last; none unless it {@link #boundsRoom}. */
  public final RecentChanges roomChanges() {
    return roomChanges;
  }

  /** The verdict on a node as of the last refresh: {@link #PASSES}, or for {@link #verdict}. */
  public final int verdictAt(int slot) {
    return verdictOf[slot];
  }

  /** The nodes whose verdict has changed last, for those who build on the verdicts. */
  public final RecentChanges changes() {
    return changes;
  }

  /** The nodes that were rejected as of the last refresh; not to be written to by others. */
  public final NodeSet rejected() {
    return rejected;
  }

  /** The verdict on one node with the state as it is now, remembering nothing. */
  public final int evaluate(int slot) {
    state.work().spend(1);
    refreshInputs();
    return check(slot);
  }

  /**
   * As {@link #evaluate(int)}, narrowing the ranges of the outside counts.
   *
   * @param first the ranges' number for the filter's first count
   */
  public final int evaluate(int slot, StableRanges ranges, int first) {
    state.work().spend(1);
    refreshInputs();
    if (outsideCounts() == 0) {
      return check(slot);
    }
    ranges.countFrom(first);
    return check(slot, ranges);
  }

  /** As {@link #check(int)}, comparing the outside counts with their limits by the ranges. */
  protected int check(int slot, StableRanges ranges) {
    return check(slot);
  }

  /** The meaning of a verdict other than {@link #PASSES}. */
  public final Verdict verdict(int id) {
    return verdicts.get(id);
  }

  /** One more than the largest verdict. */
  public final int verdicts() {
    return verdicts.size();
  }

  /** The number of a verdict of this filter. */
  protected final int idOf(Verdict verdict) {
    Integer known = idOfVerdict.get(verdict);
    if (known != null) {
      return known;
    }
    if (verdicts.size() > Short.MAX_VALUE) {
      throw new IllegalStateException("too many different verdicts, the last: " + verdict);
    }
    verdicts.add(verdict);
    resized = true;
    verdictBytes += 250;
    for (String reason : verdict.reasons()) {
      verdictBytes += 60 + reason.length();
    }
    idOfVerdict.put(verdict, verdicts.size() - 1);
    return verdicts.size() - 1;
  }

  /**
   * The number of times that a node was checked: what a test holds against how much has changed.
   */
  public final long evaluations() {
    return evaluations;
  }

  /** One user less. */
  public final void release() {
    state.answers().release(question);
  }

  /** Returns whether it is still shared: a plan that uses it is remembered. */
  public final boolean isHeld() {
    return state.answers().holds(question, this);
  }

  @Override
  public final long bytes() {
    return 500L
        + changes.bytes()
        + roomChanges.bytes()
        + 2L * verdictOf.length
        + rejected.bytes()
        + verdictBytes
        + ownBytes();
  }

  /** The memory that the filter's own columns take, in bytes, beside the verdicts. */
  protected long ownBytes() {
    return 0;
  }

  @Override
  public void close() {}
}

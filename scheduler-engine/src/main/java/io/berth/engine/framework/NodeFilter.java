package io.berth.engine.framework;

import io.berth.engine.state.Answers;
import io.berth.engine.state.ChangeLog;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
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
 */
public abstract class NodeFilter implements Answers.Answer {
  /** The verdict that lets a pod pass. */
  public static final int PASSES = 0;

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
   * Brings what is shared with others up to date: all that {@link #check} reads beside the node's
   * own columns.
   */
  protected void follow() {}

  /**
   * Names the nodes, by {@link #recheck}, whose verdict may have changed through what is shared.
   *
   * @return whether every node has to be checked again instead
   */
  protected boolean recheckFollowed() {
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

  /** Whether the verdict on a node depends on pods at all, on this node or on others. */
  public boolean readsPods() {
    return true;
  }

  /** Whether there can be nodes that are {@link #isSettled}. */
  public boolean maySettle() {
    return !readsPods();
  }

  /** Whether the verdict on a node, as of the last refresh, stays whichever pods leave it. */
  public boolean isSettled(int slot) {
    return !readsPods();
  }

  /**
   * How many numbers from beyond a node its verdict is about: with them, the node's columns and its
   * pods the verdict is known, unless {@link #maySettle}.
   */
  public int figures() {
    return 0;
  }

  /** Changes when the figures are about something else. */
  public long figuresVersion() {
    return 0;
  }

  /** One of the figures for a node, up to date as of the last {@link #bringUpToDate}. */
  public long figure(int number, int slot) {
    throw new IllegalArgumentException("no figure " + number);
  }

  /**
   * Changes with anything that the verdicts depend on beside the nodes, their pods and the figures:
   * storage objects, say.
   */
  public long beyondNodes() {
    return 0;
  }

  /** Brings what is shared with others, and the figures, up to date. */
  public final void bringUpToDate() {
    follow();
  }

  /** Brings the verdicts on all nodes up to date with the state. */
  public final void refresh() {
    if (verdictOf.length < nodes.slots()) {
      int capacity = Math.max(64, nodes.slots() * 3 / 2);
      verdictOf = Arrays.copyOf(verdictOf, capacity);
      rejected.grow(capacity);
      resized = true;
    }
    follow();
    boolean all = recheckFollowed();
    for (int i = 0; i < logs.length; i++) {
      seen[i] = all ? logs[i].head() : logs[i].visit(seen[i], this::recheck);
    }
    if (all) {
      rejected.clear();
      Arrays.fill(verdictOf, (short) PASSES);
      nodes.alive().forEach(this::recheck);
    }
    if (all || resized) {
      resized = false;
      state.answers().resized(question);
    }
  }

  /** Checks one node again. */
  protected final void recheck(int slot) {
    if (slot < verdictOf.length) {
      int verdict = nodes.alive().contains(slot) ? check(slot) : PASSES;
      verdictOf[slot] = (short) verdict;
      rejected.put(slot, verdict != PASSES);
      evaluations++;
      state.work().spend(1);
    }
  }

  /** The verdict on a node as of the last refresh: {@link #PASSES}, or for {@link #verdict}. */
  public final int verdictAt(int slot) {
    return verdictOf[slot];
  }

  /** The nodes that were rejected as of the last refresh; not to be written to by others. */
  public final NodeSet rejected() {
    return rejected;
  }

  /** The verdict on one node with the state as it is now, remembering nothing. */
  public final int evaluate(int slot) {
    state.work().spend(1);
    follow();
    return check(slot);
  }

  /**
   * As {@link #evaluate(int)}, noting what the figures were held against.
   *
   * @param first the margins' number for the first figure
   */
  public final int evaluate(int slot, Margins margins, int first) {
    state.work().spend(1);
    follow();
    if (figures() == 0) {
      return check(slot);
    }
    margins.countFrom(first);
    return check(slot, margins);
  }

  /** As {@link #check(int)}, holding the figures against their limits by the margins. */
  protected int check(int slot, Margins margins) {
    return check(slot);
  }

  /** What a verdict other than {@link #PASSES} says. */
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

  /** How often a node was checked: what a test holds against how much has changed. */
  public final long evaluations() {
    return evaluations;
  }

  /** One user less. */
  public final void release() {
    state.answers().release(question);
  }

  /** Whether it is still shared: a plan that uses it is remembered. */
  public final boolean isHeld() {
    return state.answers().holds(question, this);
  }

  @Override
  public final long bytes() {
    return 500L + 2L * verdictOf.length + rejected.bytes() + verdictBytes + ownBytes();
  }

  /** How much memory the filter's own columns take, beside the verdicts. */
  protected long ownBytes() {
    return 0;
  }

  @Override
  public void close() {}
}

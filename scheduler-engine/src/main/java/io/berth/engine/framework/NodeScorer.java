package io.berth.engine.framework;

import io.berth.engine.state.Answers;
import io.berth.engine.state.ChangeLog;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.RecentChanges;
import java.util.Arrays;

/**
 * One scorer's raw scores for pods of one kind, for every node, remembered between pods and worked
 * out again only for nodes that changed.
 *
 * <p>What is remembered of a node is its <em>kind</em>. Nodes of one kind have the same raw score
 * ({@link #rawOf}). For most scorers the kind is the raw score. Where the raw score follows from
 * the pods of a large domain, the domain is part of the kind instead: then one more pod changes the
 * raw score of thousands of nodes, and the kind of none.
 *
 * <p>As in {@link NodeFilter}, to <em>refresh</em> is to take over what changed in the cluster
 * since the last time. To <em>rescore</em> is to work out the kind of one node again.
 */
public abstract class NodeScorer implements Answers.Answer {
  /** The number of nodes whose kind changed last that are known to readers, at least. */
  private static final int PUBLISHED = 128;

  protected final ClusterState state;
  protected final NodeTable nodes;
  private final Object question;
  private final ChangeLog[] logs;
  private final long[] seen;
  private final Scale.Kind scale;
  private int[] kinds = {};
  private int nonZero;
  private final RecentChanges changes = new RecentChanges(PUBLISHED);
  private long evaluations;

  /**
   * A scorer that looks again at the nodes in these logs.
   *
   * @param question the key under which it is shared
   */
  protected NodeScorer(Object question, ClusterState state, Scale.Kind scale, ChangeLog... logs) {
    this.question = question;
    this.state = state;
    this.nodes = state.nodes();
    this.scale = scale;
    this.logs = logs;
    this.seen = new long[logs.length];
  }

  /** The kind of one node that is alive: its raw score, unless {@link #rawOf} is overridden. */
  protected abstract int score(int slot);

  /** The raw score of nodes of one kind, as of the last refresh. */
  public int rawOf(int kind) {
    return kind;
  }

  /**
   * Refreshes the inputs, all that {@link #score} reads beside the node's own columns, and rescores
   * the nodes whose score may have changed through them.
   *
   * @param feasible the nodes that passed the filters
   * @return whether every node has to be rescored instead
   */
  protected boolean refreshInputs(NodeSet feasible) {
    return false;
  }

  /** Returns whether the plugin has nothing to say at this time; asked after {@link #refresh}. */
  public boolean isSkipped() {
    return false;
  }

  /** Refreshes the inputs, and rescores every node on which anything changed that was logged. */
  public final void refresh(NodeSet feasible) {
    boolean grown = kinds.length < nodes.slots();
    if (grown) {
      kinds = Arrays.copyOf(kinds, nodes.roomForSlots());
      changes.keepFor(nodes.slots());
    }
    boolean all = refreshInputs(feasible);
    for (int i = 0; i < logs.length; i++) {
      seen[i] = all ? logs[i].head() : logs[i].visit(seen[i], this::rescore);
    }
    if (all) {
      scoreAll();
      changes.addAll();
    }
    if (all || grown) {
      state.answers().resized(question);
    }
  }

  /** Rescores every node. */
  protected void scoreAll() {
    nodes.alive().forEach(this::rescore);
  }

  /** Works out the kind of one node again. */
  protected final void rescore(int slot) {
    if (slot < kinds.length) {
      put(slot, nodes.alive().contains(slot) ? score(slot) : 0);
      evaluations++;
      state.work().spend(1);
    }
  }

  /** Sets the kind of one node. */
  protected final void put(int slot, int kind) {
    if (kinds[slot] != kind) {
      nonZero += (kind == 0 ? 0 : 1) - (kinds[slot] == 0 ? 0 : 1);
      kinds[slot] = kind;
      changes.add(slot);
    }
  }

  /** The nodes whose kind has changed last, for those who build on the scores. */
  public final RecentChanges changes() {
    return changes;
  }

  /** The kinds by slot, as of the last refresh; not to be written to by others. */
  public final int[] kinds() {
    return kinds;
  }

  /** Returns whether all nodes are of one kind, which is 0. */
  public final boolean isUniform() {
    return nonZero == 0;
  }

  /** The raw score of one node, as of the last refresh. */
  public final int raw(int slot) {
    return rawOf(kinds[slot]);
  }

  /** The formula from raw scores to 0 to 100. */
  public final Scale.Kind scale() {
    return scale;
  }

  /** The number of times that a node was scored: what a test holds against how much has changed. */
  public final long evaluations() {
    return evaluations;
  }

  /** One user less. */
  public final void release() {
    state.answers().release(question);
  }

  @Override
  public final long bytes() {
    return 400L + changes.bytes() + 4L * kinds.length + ownBytes();
  }

  /** The memory that the scorer's own columns take, in bytes, beside the kinds. */
  protected long ownBytes() {
    return 0;
  }

  @Override
  public void close() {}
}

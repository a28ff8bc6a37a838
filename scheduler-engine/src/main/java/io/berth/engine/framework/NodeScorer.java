package io.berth.engine.framework;

import io.berth.engine.state.ChangeLog;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NarrowColumn;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.RecentChanges;
import io.berth.engine.state.SharedAnswers;

/**
 * The raw scores of one scorer on every node, for pods of one kind. They are cached between pods,
 * and computed again only for nodes that changed.
 *
 * <p>The cache holds the <em>score class</em> of each node. Nodes of one score class have the same
 * raw score ({@link #rawOf}). For most scorers, the score class is the raw score. If the raw score
 * depends on the pods of a large domain, the score class identifies the domain instead: one more
 * pod then changes the raw scores of thousands of nodes, but no node's score class.
 *
 * <p>As in {@link NodeFilter}, to <em>refresh</em> means to apply the changes in the cluster since
 * the last refresh. To <em>rescore</em> means to compute the score class of one node again.
 */
public abstract class NodeScorer implements SharedAnswers.Answer {
  /** The minimum number of recently changed nodes that readers can look up. */
  private static final int PUBLISHED = 128;

  protected final ClusterState state;
  protected final NodeTable nodes;
  private final Object question;
  private final ChangeLog[] logs;
  private final long[] seen;
  private final Scale.Kind scale;
  private final NarrowColumn scoreClasses = new NarrowColumn();
  private int nonZero;

  /** A mark that the inputs have changed for every node since the last {@link #refresh}. */
  private boolean outdated;

  /** A mark that every node is being rescored, which is published once for all of them. */
  private boolean rescoresAll;

  private final RecentChanges changes = new RecentChanges(PUBLISHED);
  private long evaluations;

  /** The memory of the score classes and their changes, as of the last charge. */
  private long chargedColumns;

  /**
   * Creates a scorer that rescores the nodes in these logs.
   *
   * @param question the key under which the scorer is shared
   */
  protected NodeScorer(Object question, ClusterState state, Scale.Kind scale, ChangeLog... logs) {
    this.question = question;
    this.state = state;
    this.nodes = state.nodes();
    this.scale = scale;
    this.logs = logs;
    this.seen = new long[logs.length];
  }

  /**
   * Returns the score class of one node that exists: its raw score, unless {@link #rawOf} is
   * overridden.
   */
  protected abstract int score(int slot);

  /** Returns the raw score of nodes of one score class, as of the last refresh. */
  public int rawOf(int scoreClass) {
    return scoreClass;
  }

  /**
   * Refreshes the inputs (everything that {@link #score} reads other than the node's own columns),
   * and rescores the nodes whose score may have changed through them.
   *
   * @param feasible the nodes that passed the filters
   * @return whether every node has to be rescored instead
   */
  protected boolean refreshInputs(NodeSet feasible) {
    return false;
  }

  /** Returns whether the plugin does not score at this time; called after {@link #refresh}. */
  public boolean isSkipped() {
    return false;
  }

  /** Refreshes the inputs, and rescores every node with a logged change. */
  public final void refresh(NodeSet feasible) {
    boolean grown = grow();
    boolean all = refreshInputs(feasible);
    all |= outdated;
    outdated = false;
    for (int i = 0; i < logs.length; i++) {
      seen[i] = all ? logs[i].head() : logs[i].visit(seen[i], this::rescore);
    }
    if (all) {
      changes.addAll();
      rescoresAll = true;
      try {
        scoreAll();
      } finally {
        rescoresAll = false;
      }
    }
    long columns = scoreClasses.bytes() + changes.bytes();
    if (all || grown || columns != chargedColumns) {
      chargedColumns = columns;
      state.answers().resized(this);
    }
  }

  /**
   * Refreshes the inputs, and rescores the only feasible node. The others are rescored by the next
   * {@link #refresh}.
   *
   * @param only the set with this node alone
   */
  public final void refreshOnly(int slot, NodeSet only) {
    if (grow()) {
      state.answers().resized(this);
    }
    outdated |= refreshInputs(only);
    rescore(slot);
  }

  private boolean grow() {
    if (scoreClasses.length() >= nodes.slots()) {
      return false;
    }
    scoreClasses.grow(nodes.roomForSlots());
    changes.keepFor(nodes.slots());
    return true;
  }

  /** Rescores every node; all of them count as changed afterwards. */
  protected void scoreAll() {
    nodes.alive().forEach(this::rescore);
  }

  /** Sets the score classes of all nodes to 0, in {@link #scoreAll}. */
  protected final void clearScoreClasses() {
    if (nonZero > 0) {
      scoreClasses.fill(0, scoreClasses.length(), 0);
      nonZero = 0;
    }
  }

  /**
   * Sets the score classes of all nodes, in {@link #scoreAll}.
   *
   * @param numbers a number for each slot
   * @param added what is added to the numbers; those of slots without a node become 0 by it
   */
  protected final void putAll(int[] numbers, int added) {
    int slots = nodes.slots();
    nonZero = 0;
    for (int slot = 0; slot < slots; slot++) {
      int scoreClass = numbers[slot] + added;
      nonZero += scoreClass == 0 ? 0 : 1;
      scoreClasses.set(slot, scoreClass);
    }
    evaluations += slots;
    state.work().spend(slots);
  }

  /** Computes the score class of one node again. */
  protected final void rescore(int slot) {
    if (slot < scoreClasses.length()) {
      put(slot, nodes.alive().contains(slot) ? score(slot) : 0);
      evaluations++;
      state.work().spend(1);
    }
  }

  /** Sets the score class of one node. */
  protected final void put(int slot, int scoreClass) {
    int before = scoreClasses.get(slot);
    if (before != scoreClass) {
      nonZero += (scoreClass == 0 ? 0 : 1) - (before == 0 ? 0 : 1);
      scoreClasses.set(slot, scoreClass);
      if (!rescoresAll) {
        changes.add(slot);
      }
    }
  }

  /** Returns the nodes whose score class changed last, for answers that build on the scores. */
  public final RecentChanges changes() {
    return changes;
  }

  /** Returns the score classes by slot, as of the last refresh; callers must not modify them. */
  public final NarrowColumn scoreClasses() {
    return scoreClasses;
  }

  /** Returns whether all nodes have score class 0. */
  public final boolean isUniform() {
    return nonZero == 0;
  }

  /** Returns the raw score of one node, as of the last refresh. */
  public final int raw(int slot) {
    return rawOf(scoreClasses.get(slot));
  }

  /** Returns the formula that maps raw scores to 0 to 100. */
  public final Scale.Kind scale() {
    return scale;
  }

  /**
   * Returns the number of times that a node was scored; tests compare it with the number of
   * changes.
   */
  public final long evaluations() {
    return evaluations;
  }

  /** Releases one use of the scorer. */
  public final void release() {
    state.answers().release(question);
  }

  @Override
  public final long bytes() {
    return 400L + changes.bytes() + scoreClasses.bytes() + ownBytes();
  }

  /** Returns the memory of the scorer's own columns, in bytes, without the score classes. */
  protected long ownBytes() {
    return 0;
  }

  @Override
  public void close() {}
}

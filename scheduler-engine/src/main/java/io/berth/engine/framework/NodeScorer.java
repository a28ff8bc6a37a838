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
 * <p>As in {@link NodeFilter}, to <em>refresh</em> is to take over what changed in the cluster
 * since the last time. To <em>rescore</em> is to work out the raw score of one node again.
 */
public abstract class NodeScorer implements Answers.Answer {
  /** The number of nodes whose score changed last that are known to readers. */
  private static final int PUBLISHED = 128;

  protected final ClusterState state;
  protected final NodeTable nodes;
  private final Object question;
  private final ChangeLog[] logs;
  private final long[] seen;
  private final Scale.Kind scale;
  private int[] raw = {};
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

  /** The raw score of one node that is alive. */
  protected abstract int score(int slot);

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
    boolean grown = raw.length < nodes.slots();
    if (grown) {
      raw = Arrays.copyOf(raw, Math.max(64, nodes.slots() * 3 / 2));
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

  /** Works out the raw score of one node again. */
  protected final void rescore(int slot) {
    if (slot < raw.length) {
      put(slot, nodes.alive().contains(slot) ? score(slot) : 0);
      evaluations++;
      state.work().spend(1);
    }
  }

  /** Sets the raw score of one node. */
  protected final void put(int slot, int score) {
    if (raw[slot] != score) {
      nonZero += (score == 0 ? 0 : 1) - (raw[slot] == 0 ? 0 : 1);
      raw[slot] = score;
      changes.add(slot);
    }
  }

  /** Adds to the raw score of every node of one domain, given each slot's domain. */
  protected final void addWhere(int[] domains, int domain, int amount) {
    int slots = nodes.slots();
    int count = 0;
    for (int slot = 0; slot < slots; slot++) {
      int score = raw[slot] + (domains[slot] == domain ? amount : 0);
      raw[slot] = score;
      count += score == 0 ? 0 : 1;
    }
    nonZero = count;
    changes.addAll();
  }

  /** The nodes whose raw score has changed last, for those who build on the scores. */
  public final RecentChanges changes() {
    return changes;
  }

  /** The raw scores by slot, as of the last refresh; not to be written to by others. */
  public final int[] raw() {
    return raw;
  }

  /** The number of times that a node was scored: what a test holds against how much has changed. */
  public final long evaluations() {
    return evaluations;
  }

  /** The scale from the raw scores to 0 to 100 over these nodes. */
  public final Scale scaleOver(NodeSet feasible) {
    if (scale == Scale.Kind.NONE) {
      return Scale.none();
    }
    if (scale == Scale.Kind.FINE) {
      return Scale.fine();
    }
    if (nonZero == 0) {
      return new Scale(scale, 0, 0);
    }
    int min = Integer.MAX_VALUE;
    int max = scale == Scale.Kind.BETWEEN ? Integer.MIN_VALUE : 0;
    boolean leavesOut = scale == Scale.Kind.SPREAD;
    long[] words = feasible.words();
    for (int word = 0; word < words.length; word++) {
      long bits = words[word];
      int base = word << 6;
      if (bits == -1L) {
        for (int slot = base; slot < base + 64; slot++) {
          int score = raw[slot];
          min = Math.min(min, leavesOut && score == Scale.LEFT_OUT ? Integer.MAX_VALUE : score);
          max = Math.max(max, score);
        }
        continue;
      }
      for (; bits != 0; bits &= bits - 1) {
        int score = raw[base + Long.numberOfTrailingZeros(bits)];
        if (!leavesOut || score != Scale.LEFT_OUT) {
          min = Math.min(min, score);
          max = Math.max(max, score);
        }
      }
    }
    return new Scale(scale, min, max);
  }

  /** One user less. */
  public final void release() {
    state.answers().release(question);
  }

  @Override
  public final long bytes() {
    return 400L + changes.bytes() + 4L * raw.length + ownBytes();
  }

  /** The memory that the scorer's own columns take, in bytes, beside the scores. */
  protected long ownBytes() {
    return 0;
  }

  @Override
  public void close() {}
}

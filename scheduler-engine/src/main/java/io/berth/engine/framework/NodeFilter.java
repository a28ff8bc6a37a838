package io.berth.engine.framework;

/** One filter's answers for pods of one shape, for every node, remembered between pods. */
public abstract class NodeFilter {
  /** The verdict that lets a pod pass. */
  public static final int PASSES = 0;

  /** Brings the answers for all nodes up to date with the state. */
  public abstract void refresh();

  /** The verdict on a node as of the last refresh: {@link #PASSES}, or for {@link #verdict}. */
  public abstract int verdictAt(int slot);

  /** Bit set of the slots that were rejected as of the last refresh. */
  public abstract long[] rejected();

  /** The verdict on one node with the state as it is now, remembering nothing. */
  public abstract int evaluate(int slot);

  /** What a verdict other than {@link #PASSES} says. */
  public abstract Verdict verdict(int id);
}

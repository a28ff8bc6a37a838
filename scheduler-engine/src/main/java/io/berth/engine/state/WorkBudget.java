package io.berth.engine.state;

/**
 * The steps that one attempt may take: checks and scores of nodes, and visits of terms, volumes and
 * domains. Steps are counted instead of time, so that the same cluster leads to the same result on
 * a slow machine.
 */
public final class WorkBudget {
  /** The number of steps that an attempt may take regardless of the size of the cluster. */
  private static final long BASE_STEPS = 20_000_000;

  /**
   * The number of additional steps per node: a preemption dry run puts the pods of a node back one
   * by one, and calls every filter each time.
   */
  private static final long STEPS_PER_NODE = 20_000;

  private long base = BASE_STEPS;
  private long perNode = STEPS_PER_NODE;
  private long left = Long.MAX_VALUE;
  private long allowed = Long.MAX_VALUE;

  /** The steps of everything that has ended. */
  private long ended;

  /** Thrown if an attempt exceeds its steps. */
  public static final class ExceededException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private ExceededException(long allowed) {
      super(
          "the attempt exceeded %,d steps; the pod, or the affinity terms of other pods that apply to it, are too complex"
              .formatted(allowed));
    }
  }

  /** Sets the limits, for tests. */
  public void limitTo(long steps, long stepsPerNode) {
    base = steps;
    perNode = stepsPerNode;
  }

  /**
   * Returns the steps that one of several parts of an attempt may take on each node, so that all
   * parts can do so on all nodes. It changes seldom: nodes are rounded up to a power of two.
   *
   * @param parts the number of parts
   */
  public long perNodeOfPart(int nodes, int parts) {
    int rounded = Integer.highestOneBit(Math.max(1, 2 * nodes - 1));
    return (base / rounded + perNode) / parts;
  }

  /** Starts an attempt in a cluster of this size. */
  public void begin(int nodes) {
    ended += used();
    allowed = base + perNode * nodes;
    left = allowed;
  }

  /**
   * Returns the steps of the current attempt so far; between attempts, those since the last one.
   */
  public long used() {
    return allowed - left;
  }

  /** Returns all steps so far, of all attempts and between them. */
  public long total() {
    return ended + used();
  }

  /**
   * Runs a task with a budget of its own, beside that of the current attempt.
   *
   * @param task must not throw {@link ExceededException}
   * @return the steps of the task
   */
  public long aside(int nodes, Runnable task) {
    long leftBefore = left;
    long allowedBefore = allowed;
    long usedBefore = used();
    begin(nodes);
    try {
      task.run();
      return used();
    } finally {
      // The steps of the attempt go on counting as those of the attempt.
      ended += used() - usedBefore;
      left = leftBefore;
      allowed = allowedBefore;
    }
  }

  /** Ends the attempt; work between attempts is not limited. */
  public void end() {
    ended += used();
    allowed = Long.MAX_VALUE;
    left = Long.MAX_VALUE;
  }

  /**
   * Uses some steps.
   *
   * @throws ExceededException if fewer steps are left
   */
  public void spend(long steps) {
    left -= steps;
    if (left < 0) {
      throw new ExceededException(allowed);
    }
  }
}

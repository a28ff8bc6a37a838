package io.berth.engine.state;

/**
 * The steps that one attempt may take: nodes checked or scored, and terms, volumes and domains
 * looked at on the way. Counted instead of time, so that the same cluster gives the same answer on
 * a slow machine.
 */
public final class WorkBudget {
  /** The number of steps that an attempt may take in a cluster of any size. */
  private static final long BASE_STEPS = 20_000_000;

  /**
   * The number of additional steps for each node: a preemption dry run puts the pods of a node back
   * one by one, and calls every filter each time.
   */
  private static final long STEPS_PER_NODE = 20_000;

  private long base = BASE_STEPS;
  private long perNode = STEPS_PER_NODE;
  private long left = Long.MAX_VALUE;
  private long allowed = Long.MAX_VALUE;

  /** An attempt took more steps than it may. */
  public static final class ExceededException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private ExceededException(long allowed) {
      super(
          "the attempt exceeded %,d steps; the pod, or the affinity terms of other pods that apply to it, are too complex"
              .formatted(allowed));
    }
  }

  /** Lets attempts take this much, for tests. */
  public void limitTo(long steps, long stepsPerNode) {
    base = steps;
    perNode = stepsPerNode;
  }

  /** An attempt begins in a cluster of this size. */
  public void begin(int nodes) {
    allowed = base + perNode * nodes;
    left = allowed;
  }

  /** The attempt has ended; what is done between attempts has no limit. */
  public void end() {
    allowed = Long.MAX_VALUE;
    left = Long.MAX_VALUE;
  }

  /**
   * Takes some steps.
   *
   * @throws ExceededException when there are not so many left
   */
  public void spend(long steps) {
    left -= steps;
    if (left < 0) {
      throw new ExceededException(allowed);
    }
  }
}

package io.berth.engine.state;

import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PodSpec;
import io.berth.engine.selector.MatcherSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A pod in the state, pending or placed. */
public final class PodEntry implements SchedulingUnit {
  /** The start of a pod that has not started. */
  public static final long NOT_STARTED = Long.MAX_VALUE;

  /** The slot of a pod without a node. */
  public static final int NOWHERE = -1;

  /**
   * The order in which several pods are placed in a dry run. The holdings of a pod, such as cards,
   * depend on the pods before it, so the order must not depend on the order of events.
   */
  public static final Comparator<PodEntry> IN_TURN =
      Comparator.comparingInt(PodEntry::priority)
          .reversed()
          .thenComparing(pod -> pod.model().createdAt())
          .thenComparing(pod -> pod.ref().uid());

  private static final long NANOS_PER_SECOND = 1_000_000_000L;
  private static final long LAST_SECOND = Long.MAX_VALUE / NANOS_PER_SECOND - 1;

  private PodModel model;
  private long startNanos;
  SharedSpec shared;
  MatcherSet matchers = MatcherSet.empty();

  /** The version of the matchers from which {@link #matchers} was computed. */
  long matchersVersion = -1;

  /** The pods with the same labels; null if the pod is not in an index. */
  @Nullable LabelSet labelSet;

  /** The neighbors in {@link #labelSet}. */
  @Nullable PodEntry nextAlike;

  @Nullable PodEntry previousAlike;

  int slot = NOWHERE;
  int indexOnNode = -1;

  /** Assigned in ascending order to placed pods; dry runs do not change it. */
  long arrival;

  /** True while it is bound or assumed, whether its node is known or not. */
  boolean occupies;

  /** True if it was selected for eviction, until it is gone or its eviction was rejected. */
  boolean victim;

  /** Its holdings on its node. */
  List<Holding> onNode = List.of();

  /** The holdings that were planned when the pod was assumed. */
  List<Holding> planned = List.of();

  PodEntry(PodModel model, SharedSpec shared) {
    this.model = model;
    this.shared = shared;
    this.startNanos = startOf(model);
  }

  public PodModel model() {
    return model;
  }

  void setModel(PodModel model) {
    this.model = model;
    this.startNanos = startOf(model);
  }

  public PodRef ref() {
    return model.ref();
  }

  public PodSpec spec() {
    return shared.spec();
  }

  public SharedSpec shared() {
    return shared;
  }

  /** Returns whether the pods are equivalent for scheduling. */
  boolean isLike(PodEntry other) {
    return shared == other.shared
        && model.policy().equals(other.model.policy())
        && model.labels().equals(other.model.labels())
        && model.controller().equals(other.model.controller());
  }

  /** Returns the matchers that selected the pod when they were last evaluated. */
  public MatcherSet matchers() {
    return matchers;
  }

  @Override
  public String key() {
    return model.ref().uid();
  }

  @Override
  public int priority() {
    return shared.spec().priority(); // The spec is shared, and so nearer than that of the model.
  }

  /**
   * Returns the start of the pod in nanoseconds since 1970; {@link #NOT_STARTED} if it has not
   * started, or starts after the year 2262.
   */
  public long startNanos() {
    return startNanos;
  }

  private static long startOf(PodModel model) {
    Instant start = model.startedAt().orElse(Instant.MAX);
    long seconds = start.getEpochSecond();
    return Math.abs(seconds) > LAST_SECOND
        ? NOT_STARTED
        : seconds * NANOS_PER_SECOND + start.getNano();
  }

  /**
   * Returns the slot of the node on which the pod is counted; {@link #NOWHERE} if there is none.
   */
  public int slot() {
    return slot;
  }

  /**
   * Returns the arrival number: of two placed pods, the one with the smaller number was placed
   * first.
   */
  public long arrival() {
    return arrival;
  }

  /** Returns whether it is bound or assumed, whether its node is known or not. */
  public boolean occupies() {
    return occupies;
  }

  /** Returns whether it leaves: it is terminating, or was selected for eviction. */
  public boolean leaves() {
    return victim || model.terminating();
  }

  /** Returns its holdings: those on its node, then the planned ones. */
  public List<Holding> holdings() {
    if (onNode.isEmpty() || planned.isEmpty()) {
      return onNode.isEmpty() ? planned : onNode;
    }
    List<Holding> all = new ArrayList<>(onNode);
    all.addAll(planned);
    return all;
  }

  @Override
  public String toString() {
    return model.ref() + (slot == NOWHERE ? "" : "@" + slot);
  }
}

package io.berth.engine.state;

import io.berth.engine.PodRef;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodSpec;
import io.berth.engine.selector.MatcherSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A pod as the state holds it: pending, or on a node. */
public final class PodEntry implements Unit {
  /** The slot of a pod that is on no node. */
  public static final int NOWHERE = -1;

  /**
   * The order in which several pods are put on a node to try it. What each holds there, such as
   * cards, depends on those before it, so that it must not depend on the order of events.
   */
  public static final Comparator<PodEntry> IN_TURN =
      Comparator.comparingInt(PodEntry::priority)
          .reversed()
          .thenComparing(pod -> pod.model().createdAt())
          .thenComparing(pod -> pod.ref().uid());

  private PodModel model;
  SharedSpec shared;
  MatcherSet matchers = MatcherSet.empty();

  /** The version of the matchers by which {@link #matchers} was computed. */
  long matchersVersion = -1;

  int slot = NOWHERE;
  int indexOnNode = -1;

  /** Grows with every pod that is placed; a what-if leaves it as it was. */
  long arrival;

  /** Its holdings on its node. */
  List<Holding> onNode = List.of();

  /** The holdings that were planned when it was assumed. */
  List<Holding> planned = List.of();

  PodEntry(PodModel model, SharedSpec shared) {
    this.model = model;
    this.shared = shared;
  }

  public PodModel model() {
    return model;
  }

  void setModel(PodModel model) {
    this.model = model;
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

  /** Returns whether the pods differ in nothing by which they are placed. */
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
    return model.spec().priority();
  }

  /** The slot of the node the pod is counted on; {@link #NOWHERE} while it is on none. */
  public int slot() {
    return slot;
  }

  /**
   * Returns the arrival number: of two placed pods, the one with the smaller number came to its
   * node first.
   */
  public long arrival() {
    return arrival;
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

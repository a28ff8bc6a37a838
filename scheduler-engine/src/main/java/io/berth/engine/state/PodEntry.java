package io.berth.engine.state;

import io.berth.engine.PodRef;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodSpec;
import io.berth.engine.terms.TermSet;
import java.util.ArrayList;
import java.util.List;

/** A pod as the state holds it: pending, or on a node. */
public final class PodEntry {
  /** The slot of a pod that is on no node. */
  public static final int NOWHERE = -1;

  private PodModel model;
  SharedSpec shared;
  TermSet terms = TermSet.empty();

  /** The version of the matchers by which {@link #terms} was worked out. */
  long termsVersion = -1;

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

  /** By which matchers the pod is meant, as of when it was last looked at. */
  public TermSet terms() {
    return terms;
  }

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

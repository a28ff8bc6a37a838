package io.berth.engine.topology;

import io.berth.engine.model.Taint;
import io.berth.engine.model.TaintEffect;
import io.berth.engine.model.Toleration;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.SharedAnswers;
import io.berth.engine.state.TaintSet;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * The nodes whose NoSchedule and NoExecute taints are all tolerated by a list of tolerations. Each
 * distinct set of taints is checked once, instead of each node.
 */
public final class ToleratedNodes implements NodeGroup, SharedAnswers.Answer {
  private static final int REMEMBERED_SETS = 256;

  record Question(List<Toleration> tolerations) {}

  private final Question question;
  private final NodeTable nodes;
  private final SharedAnswers answers;
  private final NodeSet tolerated = new NodeSet();
  private final IdentityHashMap<TaintSet, Boolean> bySet = new IdentityHashMap<>();
  private long seen;
  private long version;

  private ToleratedNodes(Question question, ClusterState state) {
    this.question = question;
    this.nodes = state.nodes();
    this.answers = state.answers();
  }

  /** Returns the nodes that these tolerations tolerate; requires one {@link #release}. */
  public static ToleratedNodes acquire(List<Toleration> tolerations, ClusterState state) {
    Question question = new Question(tolerations);
    return state.answers().acquire(question, () -> new ToleratedNodes(question, state));
  }

  public void release(ClusterState state) {
    state.answers().release(question);
  }

  @Override
  public void refresh() {
    if (tolerated.words().length < NodeSet.wordsFor(nodes.slots())) {
      tolerated.grow(nodes.slots());
      answers.resized(this);
    }
    seen = nodes.taintLog().visit(seen, this::reread);
  }

  @Override
  public NodeSet nodes() {
    return tolerated;
  }

  @Override
  public long version() {
    return version;
  }

  private void reread(int slot) {
    if (tolerated.put(slot, nodes.alive().contains(slot) && tolerates(nodes.taints(slot)))) {
      version++;
    }
  }

  private boolean tolerates(TaintSet set) {
    if (set.taints().isEmpty()) {
      return true;
    }
    Boolean known = bySet.get(set);
    if (known == null) {
      if (bySet.size() >= REMEMBERED_SETS) {
        bySet.clear();
      }
      known = tolerates(question.tolerations(), set.taints());
      bySet.put(set, known);
      answers.resized(this);
    }
    return known;
  }

  /** Returns whether the tolerations cover every taint with a NoSchedule or NoExecute effect. */
  public static boolean tolerates(List<Toleration> tolerations, List<Taint> taints) {
    for (Taint taint : taints) {
      if (taint.effect() != TaintEffect.PREFER_NO_SCHEDULE && !covers(tolerations, taint)) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether one of the tolerations tolerates the taint. */
  public static boolean covers(List<Toleration> tolerations, Taint taint) {
    for (Toleration toleration : tolerations) {
      if (toleration.tolerates(taint)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public long bytes() {
    return 400L + tolerated.bytes() + 64L * bySet.size();
  }

  @Override
  public void close() {}
}

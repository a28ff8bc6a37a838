package io.berth.engine.state;

import io.berth.engine.model.Taint;
import java.util.List;

/** The taints of one or more nodes. Nodes with equal taints share one set. */
public final class TaintSet {
  private final List<Taint> taints;
  int nodes;

  TaintSet(List<Taint> taints) {
    this.taints = taints;
  }

  public List<Taint> taints() {
    return taints;
  }
}

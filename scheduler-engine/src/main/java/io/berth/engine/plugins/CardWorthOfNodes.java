package io.berth.engine.plugins;

import io.berth.engine.cards.CardRules;
import io.berth.engine.cards.CardTable;
import io.berth.engine.cards.CardWorth;
import io.berth.engine.cards.FreeCards;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.SharedAnswers;
import java.util.Arrays;

/**
 * The worth of the free cards of every node in the current state: one value per node, which the
 * scorers of all pods share, computed again only for nodes that changed.
 */
final class CardWorthOfNodes implements SharedAnswers.Answer {
  record Question(CardRules rules) {}

  private final Question question;
  private final ClusterState state;
  private final NodeTable nodes;
  private final CardTable table;
  private final FreeCards free = new FreeCards();
  private CardWorth worth;
  private double[] worths = {};
  private long seen;
  private long seenDevices;

  private CardWorthOfNodes(Question question, ClusterState state) {
    this.question = question;
    this.state = state;
    this.nodes = state.nodes();
    this.table = state.cards().table();
    this.worth = state.cards().worth(question.rules());
    refreshAll();
  }

  static CardWorthOfNodes acquire(CardRules rules, ClusterState state) {
    Question question = new Question(rules);
    return state.answers().acquire(question, () -> new CardWorthOfNodes(question, state));
  }

  void release() {
    state.answers().release(question);
  }

  /** Applies the changes of nodes and of the target workload. */
  @SuppressWarnings("ReferenceEquality") // A new value is a new object: compare identities.
  void refresh() {
    CardWorth now = state.cards().worth(question.rules());
    if (now != worth) {
      worth = now;
      refreshAll();
    } else {
      grow();
      seen = nodes.capacityLog().visit(seen, this::refresh);
      seenDevices = state.deviceLog().visit(seenDevices, this::refresh);
    }
  }

  private void refreshAll() {
    grow();
    seen = nodes.capacityLog().head();
    seenDevices = state.deviceLog().head();
    nodes.alive().forEach(this::refresh);
  }

  private void grow() {
    if (worths.length < nodes.slots()) {
      worths = Arrays.copyOf(worths, nodes.roomForSlots());
      state.answers().resized(this);
    }
  }

  private void refresh(int slot) {
    if (nodes.alive().contains(slot)) {
      long milliCpu = state.cards().freeMilliCpu(slot);
      table.read(slot, free);
      worths[slot] = worth.of(free, milliCpu);
      if (state.cards().deviceCards().has(slot)) {
        state.cards().deviceCards().read(slot, free);
        worths[slot] += worth.of(free, milliCpu);
      }
    }
  }

  /** Returns the worth of cards as of the last refresh; a new object after every change. */
  CardWorth worth() {
    return worth;
  }

  /**
   * Returns the worth of the node's free cards, devices included, as of the last refresh, in
   * thousandths of a card.
   */
  double at(int slot) {
    return worths[slot];
  }

  @Override
  public long bytes() {
    return 500L + 8L * worths.length;
  }

  @Override
  public void close() {}
}

package io.berth.engine.plugins;

import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A request that is larger than nodes are when they are empty. */
final class TooLargeRequest {
  private final String[] names;
  private final long[] asked;
  private final int[] columns;
  private final boolean[] served;

  /**
   * @param names the requested resources
   * @param asked the requested amounts, in the same order
   * @param columns the columns of the resources in the table of nodes
   * @param served whether devices serve the resource on nodes that do not offer it themselves
   */
  TooLargeRequest(String[] names, long[] asked, int[] columns, boolean[] served) {
    this.names = names;
    this.asked = asked;
    this.columns = columns;
    this.served = served;
  }

  /**
   * Returns why none of the nodes would have room, as a part of a sentence about the pod; empty if
   * one of them would.
   *
   * @param among nodes that exist, at least one
   */
  Optional<String> text(NodeTable nodes, NodeSet among) {
    long[] largest = new long[asked.length];
    for (int slot = among.next(0); slot >= 0; slot = among.next(slot + 1)) {
      boolean fits = true;
      for (int i = 0; i < asked.length; i++) {
        long allocatable = nodes.allocatable(columns[i], slot);
        largest[i] = Math.max(largest[i], allocatable);
        fits &= asked[i] <= allocatable || (served[i] && allocatable <= 0);
      }
      if (fits) {
        return Optional.empty();
      }
    }
    for (int i = 0; i < asked.length; i++) {
      if (asked[i] > largest[i] && !served[i]) {
        return Optional.of(
            "it requests %s of %s, and %s that it may use has %s"
                .formatted(
                    ResourceAmounts.text(names[i], asked[i]),
                    names[i],
                    among.size() == 1
                        ? "the only node"
                        : "the largest of the %d nodes".formatted(among.size()),
                    ResourceAmounts.text(names[i], largest[i])));
      }
    }
    return Optional.of(
        "it requests %s, and none of the %d nodes that it may use has that much of all of them"
            .formatted(amounts(), among.size()));
  }

  private String amounts() {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < asked.length; i++) {
      texts.add(ResourceAmounts.text(names[i], asked[i]) + " of " + names[i]);
    }
    return String.join(", ", texts);
  }
}

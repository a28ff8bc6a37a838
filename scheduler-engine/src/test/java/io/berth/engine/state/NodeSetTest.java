package io.berth.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The comparison of two sets of nodes. */
class NodeSetTest {

  private static NodeSet of(int room, int... slots) {
    NodeSet set = new NodeSet(room);
    for (int slot : slots) {
      set.add(slot);
    }
    return set;
  }

  private static List<Integer> differences(NodeSet set, NodeSet other) {
    List<Integer> words = new ArrayList<>();
    for (int word = set.nextDifference(other, 0);
        word >= 0;
        word = set.nextDifference(other, word + 1)) {
      words.add(word);
    }
    return words;
  }

  @Test
  void wordsThatDiffer_areFoundInOrder() {
    assertThat(differences(of(640, 1, 70, 200, 600), of(640, 1, 71, 200))).containsExactly(1, 9);
  }

  @Test
  void equalSets_differNowhere() {
    assertThat(differences(of(640, 1, 600), of(640, 1, 600))).isEmpty();
  }

  @Test
  void slotsBeyondTheOtherSetsRoom_differ() {
    assertThat(differences(of(640, 5, 130, 400), of(64, 5))).containsExactly(2, 6);
  }

  @Test
  void theOtherSetsSlotsBeyondOwnRoom_areNotCompared() {
    assertThat(differences(of(64, 5), of(640, 5, 130))).isEmpty();
  }
}

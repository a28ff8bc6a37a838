package io.berth.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NamespaceTurnsTest {
  private final NamespaceTurns turns = new NamespaceTurns();

  private List<String> take(List<String> items) {
    return turns.take(5, items, item -> item.substring(0, item.indexOf('/')));
  }

  private static List<String> items(String namespace, int count) {
    return IntStream.range(0, count).mapToObj(i -> namespace + "/" + i).toList();
  }

  @Test
  void namespaceWithOneItem_isServedInTheFirstRound_besideOneWithAThousand() {
    List<String> items = new ArrayList<>(items("greedy", 1000));
    items.addAll(items("small", 1));

    assertThat(take(items)).contains("small/0").hasSize(5);
  }

  @Test
  void moreNamespacesThanItemsOfARound_areAllServed_beforeAnyIsServedTwice() {
    List<String> items = IntStream.range(0, 12).mapToObj(i -> "n%02d/0".formatted(i)).toList();

    List<String> served = new ArrayList<>();
    served.addAll(take(items)); // the items stay: none of them gets anywhere
    served.addAll(take(items));
    served.addAll(take(items).subList(0, 2));

    assertThat(served).containsExactlyInAnyOrderElementsOf(items);
  }

  @Test
  void roundOfOneNamespace_isUsedCompletely() {
    assertThat(take(items("only", 8))).containsExactlyElementsOf(items("only", 5));
    assertThat(take(items("only", 2))).hasSize(2);
    assertThat(take(List.of())).isEmpty();
  }
}

package io.berth.engine.selector;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.model.LabelSelector;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MatcherIdsTest {
  private final MatcherIds matchers = new MatcherIds();

  @Test
  void findsWhatAHashMapFinds() {
    Map<Integer, PodMatcher> expected = new HashMap<>();
    Random random = new Random(7);
    int ids = 0;
    for (int step = 0; step < 20_000; step++) {
      boolean grows = random.nextInt(100) < (step / 5_000 % 2 == 0 ? 70 : 30);
      if (expected.isEmpty() || grows) {
        ids += 1 + (random.nextInt(10) == 0 ? random.nextInt(500) : 0);
        PodMatcher added = matcher(ids);
        matchers.add(added);
        expected.put(ids, added);
      } else {
        Integer[] present = expected.keySet().toArray(Integer[]::new);
        matchers.remove(expected.remove(present[random.nextInt(present.length)]));
      }
      int any = random.nextInt(ids + 2);
      assertThat(matchers.get(any)).isSameAs(expected.get(any));
    }
    for (int id = 0; id <= ids; id++) {
      assertThat(matchers.get(id)).isSameAs(expected.get(id));
    }
  }

  private static PodMatcher matcher(int id) {
    return new PodMatcher(
        id, MatcherKey.ofSpread("team", LabelSelector.ofPairs(Map.of("app", "app-" + id))));
  }
}

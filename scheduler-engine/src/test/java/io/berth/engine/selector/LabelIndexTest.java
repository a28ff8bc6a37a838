package io.berth.engine.selector;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.Requirement;
import io.berth.rules.label.LabelOperator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Candidates for labels: all selectors that match, and few others. */
class LabelIndexTest {
  private final LabelIndex<String> index = new LabelIndex<>();

  private List<String> candidates(Map<String, String> labels) {
    List<String> names = new ArrayList<>();
    index.candidates(labels, names::add);
    return names;
  }

  private static Requirement requirement(String key, LabelOperator operator, String... values) {
    return new Requirement(key, operator, List.of(values));
  }

  @Test
  void ofAThousandServices_onlyThoseOfTheApp_areLookedAt() {
    for (int i = 0; i < 1_000; i++) {
      // All have a common label, which comes first.
      index.add(
          "service-" + i,
          List.of(
              requirement("a-part-of", LabelOperator.IN, "shop"),
              requirement("app", LabelOperator.IN, "app-" + i)));
    }
    assertThat(candidates(Map.of("a-part-of", "shop", "app", "app-7"))).hasSizeLessThan(3);
  }

  @Test
  void ofAThousandThatForbidAValue_onlyThoseThatDoNot_areLookedAt() {
    for (int i = 0; i < 1_000; i++) {
      index.add("not-" + i, List.of(requirement("app", LabelOperator.NOT_IN, "web", "x-" + i)));
    }
    index.add("other", List.of(requirement("app", LabelOperator.NOT_IN, "db")));
    assertThat(candidates(Map.of("app", "web"))).containsExactly("other");
  }

  @Test
  void ofAThousandThatForbidALabel_noneIsLookedAt_whereItIsThere() {
    for (int i = 0; i < 1_000; i++) {
      index.add("without-" + i, List.of(requirement("legacy", LabelOperator.DOES_NOT_EXIST)));
    }
    assertThat(candidates(Map.of("legacy", "yes"))).isEmpty();
    assertThat(candidates(Map.of("app", "web"))).hasSize(1_000);
  }

  @Test
  void everySelectorThatMatches_isNamedOnce_whateverCameAndWent() {
    Random random = new Random(11);
    Map<String, LabelSelector> selectors = new HashMap<>();
    for (int step = 0; step < 3_000; step++) {
      String name = "s" + random.nextInt(60);
      if (selectors.remove(name) != null) {
        index.remove(name);
      } else {
        LabelSelector selector = randomSelector(random);
        selectors.put(name, selector);
        index.add(name, selector.requirements());
      }
      Map<String, String> labels = new HashMap<>();
      for (String key : List.of("a", "b", "c")) {
        if (random.nextBoolean()) {
          labels.put(key, String.valueOf(random.nextInt(3)));
        }
      }
      List<String> found = candidates(labels);
      assertThat(found).doesNotHaveDuplicates();
      Set<String> matching = new HashSet<>();
      selectors.forEach(
          (key, selector) -> {
            if (selector.matches(labels)) {
              matching.add(key);
            }
          });
      assertThat(found).containsAll(matching);
    }
    List.copyOf(selectors.keySet()).forEach(index::remove);
    assertThat(index.isEmpty()).isTrue();
  }

  private static LabelSelector randomSelector(Random random) {
    List<Requirement> requirements = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      String key = List.of("a", "b", "c").get(random.nextInt(3));
      String value = String.valueOf(random.nextInt(3));
      requirements.add(
          switch (random.nextInt(5)) {
            case 0 -> requirement(key, LabelOperator.EXISTS);
            case 1 -> requirement(key, LabelOperator.DOES_NOT_EXIST);
            case 2 -> requirement(key, LabelOperator.NOT_IN, value);
            case 3 -> requirement(key, LabelOperator.IN, value);
            default -> requirement(key, LabelOperator.IN, value, value + "x");
          });
    }
    return LabelSelector.of(requirements);
  }
}

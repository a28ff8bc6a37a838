package io.berth.webhook.validation;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingQueueSpec;
import io.berth.crds.queue.QueueNamespaces;
import io.berth.webhook.error.Problem;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The findings of the webhook about a queue among others. */
class QueueRulesTest {
  private final Map<String, SchedulingQueueSpec> others = new HashMap<>();

  private static SchedulingQueueSpec queue(@Nullable String parent, String cpu) {
    return new SchedulingQueueSpec(
        parent, Map.of("cpu", new Quantity(cpu)), Map.of(), 1, 0, null, null, null, null);
  }

  private ValidationResult check(String name, SchedulingQueueSpec spec) {
    return new QueueRules(others).check(name, spec);
  }

  @Test
  void queueBelowItself_isDenied() {
    others.put("a", queue("b", "0"));

    assertThat(check("b", queue("a", "0")).problems())
        .extracting(Problem::path)
        .containsExactly("spec.parent");
    assertThat(check("c", queue("c", "0")).problems()).hasSize(1);
  }

  @Test
  void unknownParent_isAcceptedWithAWarning_thatNamesASimilarOne() {
    others.put("research", queue(null, "10"));

    ValidationResult result = check("vision", queue("reserch", "5"));

    assertThat(result.problems()).isEmpty();
    assertThat(result.warnings())
        .singleElement()
        .satisfies(warning -> assertThat(warning.message()).contains("did you mean \"research\"?"));
  }

  @Test
  void parts_areNotGuaranteedMoreThanTheWhole() {
    others.put("whole", queue(null, "10"));
    others.put("one", queue("whole", "6"));

    assertThat(check("two", queue("whole", "4")).problems()).isEmpty();
    assertThat(check("two", queue("whole", "4500m")).problems())
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.path()).isEqualTo("spec.guarantee.cpu");
              assertThat(problem.message())
                  .contains("would be guaranteed 10.5 cpu together", "its own guarantee of 10");
            });
    assertThat(check("whole", queue(null, "5")).problems()).hasSize(1);
  }

  @Test
  void limitBelowTheGuarantee_isDenied() {
    SchedulingQueueSpec spec =
        new SchedulingQueueSpec(
            null,
            Map.of("cpu", new Quantity("2")),
            Map.of("cpu", new Quantity("1900m")),
            1,
            0,
            null,
            null,
            null,
            null);

    assertThat(check("a", spec).problems())
        .extracting(Problem::path)
        .containsExactly("spec.limit.cpu");
  }

  @Test
  void defaultQueue_hasNoParts() {
    assertThat(check("a", queue("default", "0")).problems())
        .extracting(Problem::path)
        .containsExactly("spec.parent");
  }

  @Test
  void queues_areAtMostTenLevelsDeep() {
    others.put("q0", queue(null, "0"));
    for (int i = 1; i < QueueRules.MOST_LEVELS; i++) {
      assertThat(check("q" + i, queue("q" + (i - 1), "0")).problems()).isEmpty();
      others.put("q" + i, queue("q" + (i - 1), "0"));
    }

    assertThat(check("deepest", queue("q" + (QueueRules.MOST_LEVELS - 1), "0")).problems())
        .hasSize(1);
  }

  /** Moving a subtree, or creating the parts first, makes no more levels than this either. */
  @Test
  void queuesBelow_countForTheTenLevels() {
    for (int i = 1; i < QueueRules.MOST_LEVELS; i++) {
      others.put("q" + i, queue("q" + (i - 1), "0"));
    }
    assertThat(check("q0", queue(null, "0")).problems()).isEmpty();
    assertThat(check("q0", queue("top", "0")).problems())
        .extracting(Problem::path)
        .containsExactly("spec.parent");

    others.put("q10", queue("q9", "0"));
    assertThat(check("q0", queue(null, "0")).problems())
        .extracting(Problem::path)
        .containsExactly("metadata.name");
  }

  private static SchedulingQueueSpec withPods(@Nullable String parent, @Nullable String halfLife) {
    return new SchedulingQueueSpec(
        parent,
        Map.of(),
        Map.of(),
        1,
        0,
        "10m",
        halfLife,
        null,
        new QueueNamespaces(List.of("team"), null));
  }

  @Test
  void firstPartOfAQueueThatSelectsNamespaces_isAcceptedWithAWarning() {
    others.put("team", withPods(null, null));

    assertThat(check("part", queue("team", "0")).warnings())
        .singleElement()
        .satisfies(
            warning -> {
              assertThat(warning.path()).isEqualTo("spec.parent");
              assertThat(warning.message()).contains("belong to the queue \"default\"");
            });

    others.put("part", queue("team", "0"));
    assertThat(check("second", queue("team", "0")).warnings()).isEmpty();
  }

  @Test
  void fieldsThatOnlyConcernPods_haveNoEffectInAQueueWithParts() {
    others.put("part", queue("team", "0"));

    assertThat(check("team", withPods(null, null)).warnings())
        .extracting(Problem::path)
        .containsExactly("spec.namespaces", "spec.minRunTime");
    assertThat(check("other", withPods(null, null)).warnings()).isEmpty();
  }

  @Test
  void halfLifeOfOnlySomeParts_isAcceptedWithAWarning() {
    others.put("a", withPods(null, "12h"));
    others.put("elsewhere", withPods("top", null));

    assertThat(check("b", withPods(null, null)).warnings())
        .singleElement()
        .satisfies(
            warning -> {
              assertThat(warning.path()).isEqualTo("spec.usageHalfLife");
              assertThat(warning.message()).contains("in SchedulingQueue \"a\"");
            });
    assertThat(check("b", withPods(null, "6h")).warnings()).isEmpty();
    others.put("b", withPods(null, null));
    assertThat(check("a", withPods(null, "12h")).warnings()).hasSize(1);
  }
}

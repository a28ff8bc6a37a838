package io.berth.webhook.binding;

import static io.berth.webhook.Resources.binding;
import static io.berth.webhook.Resources.namespace;
import static io.berth.webhook.Resources.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulerConfigBinding;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Random bindings in random orders of events. The number of the repetition is the seed. */
class ResolutionPropertyTest {

  @RepeatedTest(60)
  void theWinner_doesNotDependOnTheOrderOfEventsOrOnTheReplica(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    List<HasMetadata> objects = randomObjects(random);
    List<PodSubject> pods = randomPods(random);

    LiveCatalog one = fed(objects, random, pods);
    LiveCatalog other = fed(objects, random, pods);

    for (PodSubject pod : pods) {
      assertThat(other.get().resolve(pod)).isEqualTo(one.get().resolve(pod));
      assertThat(other.get().resolve(pod, true, Set.of()))
          .isEqualTo(one.get().resolve(pod, true, Set.of()));
    }
    Collections.shuffle(pods, random);
    Map<BindingKey, BindingReport> reports = BindingReportTest.report(one, pods);
    Collections.shuffle(pods, random);
    assertThat(BindingReportTest.report(other, pods)).isEqualTo(reports);
  }

  @RepeatedTest(60)
  void theIndexFindsWhatALookAtEveryBindingFinds(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    List<HasMetadata> objects = randomObjects(random);
    List<BoundBinding> bindings =
        objects.stream()
            .filter(SchedulerConfigBinding.class::isInstance)
            .map(SchedulerConfigBinding.class::cast)
            .map(each -> BoundBinding.of(each, "berth-system"))
            .toList();
    NamespaceView view = new NamespaceView(bindings);

    for (PodSubject pod : randomPods(random)) {
      assertThat(view.matching(pod.labels()))
          .isEqualTo(
              bindings.stream()
                  .filter(each -> each.pods().matches(pod.labels()))
                  .sorted(BoundBinding.PRECEDENCE)
                  .toList());
    }
  }

  /**
   * Returns a catalog that received the objects in a random order, with repeated, removed, and
   * re-added objects, and with reads in between.
   */
  private static LiveCatalog fed(
      List<HasMetadata> objects, Random random, List<PodSubject> readers) {
    LiveCatalog catalog = new LiveCatalog("berth-system");
    List<HasMetadata> order = new ArrayList<>(objects);
    Collections.shuffle(order, random);
    for (HasMetadata object : order) {
      catalog.put(object);
      switch (random.nextInt(4)) {
        case 0 -> {
          catalog.remove(object);
          catalog.get().resolve(readers.getFirst());
          catalog.put(object);
        }
        case 1 -> catalog.put(object);
        case 2 -> catalog.get().resolve(readers.getLast());
        default -> {}
      }
    }
    return catalog;
  }

  private static List<HasMetadata> randomObjects(Random random) {
    List<HasMetadata> objects = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      objects.add(namespace("team-" + i, random.nextBoolean() ? "tier: gold" : "tier: silver"));
    }
    int count = 1 + random.nextInt(12);
    for (int i = 0; i < count; i++) {
      boolean ofOperator = random.nextBoolean();
      String spec = "priority: " + random.nextInt(2);
      spec += ofOperator && random.nextBoolean() ? ", namespaceSelector: {}" : "";
      spec +=
          ofOperator && random.nextInt(3) == 0
              ? ", namespaceSelector: {matchLabels: {tier: gold}}"
              : "";
      if (spec.indexOf("namespaceSelector") != spec.lastIndexOf("namespaceSelector")) {
        spec = spec.replace(", namespaceSelector: {},", ",");
      }
      spec +=
          random.nextBoolean()
              ? ", podSelector: {matchLabels: {app: a" + random.nextInt(3) + "}}"
              : "";
      spec += random.nextBoolean() ? ", nodeConfigs: [{name: n" + i + "}]" : "";
      spec += random.nextBoolean() ? ", podConfigs: [{name: p" + i + "}]" : "";
      spec += random.nextBoolean() ? ", schedulingPolicy: s" + random.nextInt(3) : "";
      spec += random.nextInt(3) == 0 ? ", podOverrides: Deny" : "";
      spec += random.nextInt(4) == 0 ? ", enforcement: DryRun" : "";
      spec += random.nextInt(4) == 0 ? ", rollout: {percent: 50}" : "";
      objects.add(
          binding(
              ofOperator ? "berth-system" : "team-" + random.nextInt(3),
              "binding-" + i,
              "2026-01-0" + (1 + random.nextInt(2)) + "T00:00:00Z",
              spec));
    }
    return objects;
  }

  private static List<PodSubject> randomPods(Random random) {
    List<PodSubject> pods = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      String annotations = random.nextInt(3) == 0 ? "scb.sched.cloud.ctrip.com/nsc: own," : "";
      annotations += random.nextInt(3) == 0 ? "sched.cloud.ctrip.com/policy: s1" : "";
      pods.add(
          PodSubject.of(
              "team-" + random.nextInt(3),
              yaml(
                  "metadata: {name: pod-%d, labels: {app: a%d}, annotations: {%s}}"
                      .formatted(i, random.nextInt(4), annotations))));
    }
    return pods;
  }
}

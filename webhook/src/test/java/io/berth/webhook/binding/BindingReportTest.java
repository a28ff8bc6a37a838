package io.berth.webhook.binding;

import static io.berth.webhook.Resources.binding;
import static io.berth.webhook.Resources.policy;
import static io.berth.webhook.Resources.resource;
import static io.berth.webhook.Resources.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.binding.BindingConflict;
import io.berth.crds.binding.BindingField;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BindingReportTest {
  private static final String CREATED = "2026-01-01T00:00:00Z";

  /** Returns a catalog with everything that the bindings of this class name. */
  private static LiveCatalog catalog() {
    LiveCatalog catalog = new LiveCatalog("berth-system");
    for (String name : List.of("p", "p1", "p2", "q", "r", "s", "other", "batch")) {
      catalog.put(policy(name, CREATED, ""));
    }
    for (String name : List.of("a", "b")) {
      catalog.put(
          resource(
              """
              kind: NodeSchedulerConfig
              metadata: {name: %s, generation: 1}
              spec:
                parameters: [{name: Pool, default: A}]
                tolerations: [{key: "${Pool}", operator: Exists}]
              """
                  .formatted(name)));
    }
    return catalog;
  }

  static Map<BindingKey, BindingReport> report(LiveCatalog catalog, List<PodSubject> pods) {
    return BindingReport.of(catalog.get(), catalog.get().alike(pods));
  }

  @Test
  void bothBindingsNameEachOtherWithTheFieldsThePodsAndTheReason() {
    LiveCatalog catalog = catalog();
    catalog.put(
        binding("team-a", "all", CREATED, "nodeConfigs: [{name: a}], schedulingPolicy: p1"));
    catalog.put(
        binding(
            "team-a",
            "spark",
            CREATED,
            "priority: 3, podSelector: {matchLabels: {app: spark}}, nodeConfigs: [{name: b}],"
                + " schedulingPolicy: p2"));

    Map<BindingKey, BindingReport> reports =
        report(
            catalog, List.of(pod("spark-1", "spark"), pod("spark-2", "spark"), pod("web", "web")));

    BindingReport all = reports.get(new BindingKey("team-a", "all"));
    BindingReport spark = reports.get(new BindingKey("team-a", "spark"));
    List<BindingField> fields = List.of(BindingField.NODE_CONFIGS, BindingField.SCHEDULING_POLICY);
    String reason = "its priority 3 is greater than 0";
    assertThat(all.matchedPods()).isEqualTo(3);
    assertThat(all.losesTo())
        .containsExactly(new BindingConflict("team-a", "spark", fields, 2, reason));
    assertThat(all.winsOver()).isEmpty();
    assertThat(spark.matchedPods()).isEqualTo(2);
    assertThat(spark.winsOver())
        .containsExactly(new BindingConflict("team-a", "all", fields, 2, reason));
  }

  @Test
  void aDryRun_countsThePodsItWouldChange() {
    LiveCatalog catalog = catalog();
    catalog.put(
        binding(
            "team-a",
            "trial",
            CREATED,
            "enforcement: DryRun, podSelector: {matchLabels: {app: spark}}, schedulingPolicy: p"));

    BindingReport report =
        report(catalog, List.of(pod("spark-1", "spark"), pod("web", "web")))
            .get(new BindingKey("team-a", "trial"));

    assertThat(report.matchedPods()).isEqualTo(1);
    assertThat(report.wouldChange()).isEqualTo(1);
  }

  @Test
  void aDryRun_doesNotCountPodsThatAreGivenTheSameAlready() {
    LiveCatalog catalog = catalog();
    String same = "nodeConfigs: [{name: a, args: {Pool: A}}], schedulingPolicy: p";
    catalog.put(binding("team-a", "now", CREATED, same));
    catalog.put(binding("team-a", "same", CREATED, "enforcement: DryRun, priority: 1, " + same));
    catalog.put(
        binding(
            "team-a",
            "other",
            CREATED,
            "enforcement: DryRun, priority: 2, nodeConfigs: [{name: a, args: {Pool: B}}]"));

    Map<BindingKey, BindingReport> reports =
        report(catalog, List.of(pod("spark-1", "spark"), pod("web", "web")));

    assertThat(reports.get(new BindingKey("team-a", "same")).wouldChange()).isZero();
    assertThat(reports.get(new BindingKey("team-a", "other")).wouldChange()).isEqualTo(2);
  }

  @Test
  void aDryRun_doesNotCountPodsWhoseOwnAnnotationsDecide() {
    LiveCatalog catalog = catalog();
    catalog.put(
        binding("team-a", "trial", CREATED, "enforcement: DryRun, schedulingPolicy: other"));
    PodSubject own =
        PodSubject.of(
            "team-a",
            yaml("metadata: {name: p, annotations: {sched.cloud.ctrip.com/policy: mine}}"));

    BindingReport report = report(catalog, List.of(own)).get(new BindingKey("team-a", "trial"));

    assertThat(report.matchedPods()).isEqualTo(1);
    assertThat(report.wouldChange()).isZero();
  }

  @Test
  void aDryRun_doesNotCountPodsWhoseAnnotationsAskForTheSameConfigsAndArguments() {
    LiveCatalog catalog = catalog();
    catalog.put(
        binding(
            "team-a",
            "trial",
            CREATED,
            "enforcement: DryRun, podOverrides: Deny, nodeConfigs: [{name: a, args: {Pool: A}}]"));
    PodSubject same = annotated("{\"Pool\":\"A\"}");
    PodSubject other = annotated("{\"Pool\":\"B\"}");

    BindingReport report =
        report(catalog, List.of(same, other)).get(new BindingKey("team-a", "trial"));

    assertThat(report.matchedPods()).isEqualTo(2);
    assertThat(report.wouldChange()).isEqualTo(1);
  }

  private static PodSubject annotated(String args) {
    return PodSubject.of(
        "team-a",
        yaml(
            "metadata: {name: p, annotations: {scb.sched.cloud.ctrip.com/nsc: a,"
                + " scb.sched.cloud.ctrip.com/nsc-args: '%s'}}".formatted(args)));
  }

  @Test
  void eachDryRun_isCountedAsIfItAloneWereEnforced() {
    LiveCatalog catalog = catalog();
    catalog.put(binding("team-a", "now", CREATED, "priority: 5, schedulingPolicy: p"));
    catalog.put(
        binding(
            "team-a", "above", CREATED, "enforcement: DryRun, priority: 7, schedulingPolicy: q"));
    catalog.put(
        binding(
            "team-a", "between", CREATED, "enforcement: DryRun, priority: 6, schedulingPolicy: r"));
    catalog.put(
        binding(
            "team-a", "below", CREATED, "enforcement: DryRun, priority: 1, schedulingPolicy: s"));

    Map<BindingKey, BindingReport> reports = report(catalog, List.of(pod("web", "web")));

    assertThat(reports.get(new BindingKey("team-a", "above")).wouldChange()).isEqualTo(1);
    assertThat(reports.get(new BindingKey("team-a", "between")).wouldChange()).isEqualTo(1);
    assertThat(reports.get(new BindingKey("team-a", "below")).wouldChange()).isZero();
  }

  @Test
  void twoThousandDryRunsAndTwoThousandPods_areTwoThousandContestsAtMost() {
    AtomicInteger contests = new AtomicInteger(); // each looks up the owner for a partial rollout
    LiveCatalog catalog =
        new LiveCatalog(
            "berth-system",
            (namespace, controller, labels) -> {
              contests.incrementAndGet();
              return controller.asOwner();
            },
            PolicyServing.always());
    for (int i = 0; i < 2000; i++) {
      catalog.put(
          binding(
              "team-a",
              "trial-" + i,
              CREATED,
              "enforcement: DryRun, rollout: {percent: 50}, schedulingPolicy: p" + i));
    }
    List<PodSubject> pods = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      pods.add(owned("pod-" + i, "rs-" + i % 20));
    }

    report(catalog, pods);
    assertThat(contests).as("pods of one owner are alike").hasValue(20);

    contests.set(0);
    pods.clear();
    for (int i = 0; i < 2000; i++) {
      pods.add(owned("pod-" + i, "rs-" + i));
    }
    report(catalog, pods);
    assertThat(contests).hasValue(2000);
  }

  private static PodSubject owned(String name, String owner) {
    return PodSubject.of(
        "team-a",
        yaml(
            ("metadata: {generateName: %s, labels: {name: %s}, ownerReferences: [{apiVersion:"
                    + " apps/v1, kind: ReplicaSet, name: %s, controller: true}]}")
                .formatted(owner, name, owner)));
  }

  @Test
  void aBindingThatReachesNoPod_isReportedToo() {
    LiveCatalog catalog = catalog();
    catalog.put(binding("team-a", "lonely", CREATED, "schedulingPolicy: p"));

    assertThat(report(catalog, List.of()))
        .containsEntry(
            new BindingKey("team-a", "lonely"), new BindingReport(0, 0, List.of(), List.of()));
  }

  private static PodSubject pod(String name, String app) {
    return PodSubject.of(
        "team-a", yaml("metadata: {name: %s, labels: {app: %s}}".formatted(name, app)));
  }
}

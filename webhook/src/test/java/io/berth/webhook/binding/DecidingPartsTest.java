package io.berth.webhook.binding;

import static io.berth.webhook.Resources.binding;
import static io.berth.webhook.Resources.policy;
import static io.berth.webhook.Resources.resource;
import static io.berth.webhook.Resources.yaml;
import static io.berth.webhook.binding.CatalogPart.BINDINGS;
import static io.berth.webhook.binding.CatalogPart.NAMESPACE;
import static io.berth.webhook.binding.CatalogPart.NODE_CONFIGS;
import static io.berth.webhook.binding.CatalogPart.POD_CONFIGS;
import static io.berth.webhook.binding.CatalogPart.POLICIES;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** The parts of the catalog that must be up to date for a pod. */
class DecidingPartsTest {
  private static final String CREATED = "2026-01-01T00:00:00Z";

  private final LiveCatalog catalog = new LiveCatalog("berth-system");

  @Test
  void forAPodThatNothingReachesOnlyTheBindingsMatter() {
    catalog.put(binding("team-b", "elsewhere", CREATED, "schedulingPolicy: batch"));
    catalog.put(policy("private", CREATED, "allowedNamespaces: {selector: {matchLabels: {a: b}}}"));

    assertThat(deciding("")).containsExactly(BINDINGS);
  }

  @Test
  void whatAPodNames_mattersToo() {
    assertThat(deciding("scb.sched.cloud.ctrip.com/nsc: pool"))
        .containsExactlyInAnyOrder(BINDINGS, NODE_CONFIGS);
    assertThat(
            deciding("scb.sched.cloud.ctrip.com/psc: spread, sched.cloud.ctrip.com/policy: batch"))
        .containsExactlyInAnyOrder(BINDINGS, POD_CONFIGS, POLICIES);
  }

  @Test
  void whatABindingNames_mattersAsSoonAsItIsKnownDryRunsIncluded() {
    catalog.put(binding("team-a", "spark", CREATED, "nodeConfigs: [{name: pool}]"));
    assertThat(deciding("")).containsExactlyInAnyOrder(BINDINGS, NODE_CONFIGS);

    catalog.put(
        binding("team-a", "trial", CREATED, "enforcement: DryRun, schedulingPolicy: batch"));
    assertThat(deciding("")).containsExactlyInAnyOrder(BINDINGS, NODE_CONFIGS, POLICIES);
  }

  @Test
  void theLabelsOfTheNamespaceMatterWhereABindingSelectsByThem() {
    catalog.put(binding("berth-system", "all", CREATED, "namespaceSelector: {}"));
    assertThat(deciding("")).containsExactly(BINDINGS);

    catalog.put(
        binding("berth-system", "gold", CREATED, "namespaceSelector: {matchLabels: {tier: gold}}"));
    assertThat(deciding("")).containsExactlyInAnyOrder(BINDINGS, NAMESPACE);
  }

  @Test
  void theLabelsOfTheNamespaceMatterWhereTheySayWhoMayUseSomething() {
    catalog.put(
        resource(
            """
            kind: NodeSchedulerConfig
            metadata: {name: pool, generation: 1}
            spec: {allowedNamespaces: {selector: {matchLabels: {tier: gold}}}}
            """));

    assertThat(deciding("scb.sched.cloud.ctrip.com/nsc: pool"))
        .containsExactlyInAnyOrder(BINDINGS, NODE_CONFIGS, NAMESPACE);
  }

  @Test
  void noBinding_mattersForAPodOfADaemonSet() {
    catalog.put(
        binding("berth-system", "gold", CREATED, "namespaceSelector: {matchLabels: {tier: gold}}"));
    PodSubject agent =
        PodSubject.of(
                "team-a",
                yaml(
                    "metadata: {name: p, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet,"
                        + " name: agent, controller: true}]}"))
            .createdBy(true);

    assertThat(catalog.get().deciding(agent)).isEmpty();
  }

  private Set<CatalogPart> deciding(String annotations) {
    return catalog
        .get()
        .deciding(
            PodSubject.of(
                "team-a", yaml("metadata: {name: p, annotations: {" + annotations + "}}")));
  }
}

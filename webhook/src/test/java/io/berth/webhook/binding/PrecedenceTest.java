package io.berth.webhook.binding;

import static io.berth.crds.binding.BindingField.NODE_CONFIGS;
import static io.berth.crds.binding.BindingField.POD_CONFIGS;
import static io.berth.crds.binding.BindingField.SCHEDULING_POLICY;
import static io.berth.webhook.Resources.binding;
import static io.berth.webhook.Resources.namespace;
import static io.berth.webhook.Resources.policy;
import static io.berth.webhook.Resources.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.binding.BindingField;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PrecedenceTest {
  private static final String OLD = "2026-01-01T00:00:00Z";
  private static final String NEW = "2026-02-01T00:00:00Z";
  private static final String ALL_NAMESPACES = "namespaceSelector: {}, ";
  private static final String DENY = ", podOverrides: Deny";

  private final LiveCatalog catalog = new LiveCatalog("berth-system");

  @BeforeEach
  void namespaces() {
    catalog.put(namespace("team-a", "kubernetes.io/metadata.name: team-a, tier: gold"));
    catalog.put(namespace("team-b", "kubernetes.io/metadata.name: team-b"));
  }

  @Test
  void theStepsGoFromOperatorDenyToTheOperatorsOtherBindings() {
    put("berth-system", "op-deny", ALL_NAMESPACES + policyNamed("p1") + DENY);
    put("team-a", "ns-deny", policyNamed("p2") + DENY);
    put("team-a", "ns-allow", policyNamed("p4"));
    put("berth-system", "op-allow", ALL_NAMESPACES + policyNamed("p5"));
    PodSubject annotated = pod("annotations: {sched.cloud.ctrip.com/policy: p3}");

    assertThat(winner(annotated, SCHEDULING_POLICY)).isEqualTo("berth-system/op-deny");
    remove("berth-system", "op-deny");
    assertThat(winner(annotated, SCHEDULING_POLICY)).isEqualTo("team-a/ns-deny");
    remove("team-a", "ns-deny");
    assertThat(winner(annotated, SCHEDULING_POLICY)).isEqualTo("pod");
    assertThat(winner(pod(""), SCHEDULING_POLICY)).isEqualTo("team-a/ns-allow");
    remove("team-a", "ns-allow");
    assertThat(winner(annotated, SCHEDULING_POLICY)).isEqualTo("pod");
    assertThat(winner(pod(""), SCHEDULING_POLICY)).isEqualTo("berth-system/op-allow");
    remove("berth-system", "op-allow");
    assertThat(winner(pod(""), SCHEDULING_POLICY)).isEqualTo("nobody");
  }

  @Test
  void withinAStepPriority_decidesThenAgeThenName() {
    catalog.put(binding("team-a", "b-old", OLD, policyNamed("p1")));
    catalog.put(binding("team-a", "a-new", NEW, policyNamed("p2")));
    assertThat(winner(pod(""), SCHEDULING_POLICY)).isEqualTo("team-a/b-old");

    catalog.put(binding("team-a", "a-old", OLD, policyNamed("p3")));
    assertThat(winner(pod(""), SCHEDULING_POLICY)).isEqualTo("team-a/a-old");

    catalog.put(binding("team-a", "z-newest", NEW, "priority: 1, " + policyNamed("p4")));
    assertThat(winner(pod(""), SCHEDULING_POLICY)).isEqualTo("team-a/z-newest");
  }

  @Test
  void eachField_hasItsOwnWinnerAndNothingIsUnited() {
    catalog.put(
        binding(
            "team-a", "first", OLD, "priority: 5, nodeConfigs: [{name: a}], " + policyNamed("p1")));
    catalog.put(
        binding(
            "team-a",
            "second",
            OLD,
            "nodeConfigs: [{name: b}], podConfigs: [{name: c}], " + policyNamed("p2")));

    Resolution resolution = resolve(pod("annotations: {sched.cloud.ctrip.com/policy: online}"));

    assertThat(resolution.choice(NODE_CONFIGS).orElseThrow().configs())
        .extracting("name")
        .containsExactly("a");
    assertThat(name(resolution.choice(POD_CONFIGS).orElseThrow().source()))
        .isEqualTo("team-a/second");
    assertThat(resolution.choice(SCHEDULING_POLICY).orElseThrow().policy()).hasValue("online");
  }

  @Test
  void losers_getTheWinnerAndTheReason() {
    catalog.put(binding("team-a", "first", OLD, "priority: 5, " + policyNamed("p1")));
    catalog.put(binding("team-a", "second", OLD, policyNamed("p2")));

    assertThat(resolve(pod("")).losses())
        .singleElement()
        .satisfies(
            loss -> {
              assertThat(loss.loser()).hasToString("team-a/second");
              assertThat(name(loss.winner())).isEqualTo("team-a/first");
              assertThat(loss.reason()).isEqualTo("its priority 5 is greater than 0");
            });
  }

  @Test
  void aBindingReachesItsOwnNamespaceAndOnlyTheOperatorsReachOthers() {
    put("team-b", "elsewhere", policyNamed("p1"));
    put("team-b", "reaching-out", ALL_NAMESPACES + policyNamed("p2"));
    put(
        "berth-system",
        "gold",
        "namespaceSelector: {matchLabels: {tier: gold}}, " + policyNamed("p3"));

    assertThat(winner(pod(""), SCHEDULING_POLICY)).isEqualTo("berth-system/gold");
    assertThat(winner(podOf("team-b", ""), SCHEDULING_POLICY)).isNotEqualTo("berth-system/gold");
    put("berth-system", "own", policyNamed("p4") + DENY);
    assertThat(winner(pod(""), SCHEDULING_POLICY)).isEqualTo("berth-system/gold");
  }

  @Test
  void aNamespaceThatIsNotKnownYet_isReachedByItsName() {
    put(
        "berth-system",
        "by-name",
        "namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: brand-new}}, "
            + policyNamed("p1"));

    assertThat(winner(podOf("brand-new", ""), SCHEDULING_POLICY)).isEqualTo("berth-system/by-name");
  }

  @Test
  void aChangedLabelOfANamespaceChangesWhoReachesIt() {
    put(
        "berth-system",
        "gold",
        "namespaceSelector: {matchLabels: {tier: gold}}, " + policyNamed("p3"));
    assertThat(winner(pod(""), SCHEDULING_POLICY)).isEqualTo("berth-system/gold");

    catalog.put(namespace("team-a", "tier: silver"));

    assertThat(winner(pod(""), SCHEDULING_POLICY)).isEqualTo("nobody");
  }

  @Test
  void pods_areSelectedByLabelsWithAllOperators() {
    put(
        "team-a",
        "selective",
        "podSelector: {matchLabels: {app: spark}, matchExpressions: [{key: tier, operator: NotIn,"
            + " values: [test]}, {key: team, operator: Exists}, {key: legacy, operator:"
            + " DoesNotExist}, {key: size, operator: In, values: [s, m]}]}, "
            + policyNamed("p1"));

    assertThat(winner(pod("labels: {app: spark, team: x, size: m}"), SCHEDULING_POLICY))
        .isEqualTo("team-a/selective");
    for (String labels :
        List.of(
            "team: x, size: m",
            "app: spark, size: m",
            "app: spark, team: x",
            "app: spark, team: x, size: l",
            "app: spark, team: x, size: m, tier: test",
            "app: spark, team: x, size: m, legacy: 'yes'")) {
      assertThat(winner(pod("labels: {" + labels + "}"), SCHEDULING_POLICY))
          .as(labels)
          .isEqualTo("nobody");
    }
  }

  @Test
  void aDryRun_doesNotCompeteAndSaysWhatItWouldDecide() {
    put("team-a", "dry", "enforcement: DryRun, priority: 9, " + policyNamed("p1"));
    put("team-a", "real", policyNamed("p2"));

    Resolution resolution = resolve(pod(""));

    assertThat(winner(pod(""), SCHEDULING_POLICY)).isEqualTo("team-a/real");
    assertThat(resolution.dryRun()).containsExactly(new BindingKey("team-a", "dry"));
    assertThat(resolution.losses()).isEmpty();
    assertThat(
            catalog
                .get()
                .resolve(pod(""), true, Set.of())
                .choice(SCHEDULING_POLICY)
                .orElseThrow()
                .policy())
        .hasValue("p1");
  }

  @Test
  void podsOfADaemonSet_areGivenWhatTheirOwnAnnotationsSayAndNothingElse() {
    put("berth-system", "op-deny", ALL_NAMESPACES + policyNamed("p1") + DENY);
    String owned =
        "ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, controller: true}],"
            + " annotations: {";

    assertThat(winner(pinned(owned + "}", "n1"), SCHEDULING_POLICY)).isEqualTo("nobody");
    assertThat(
            winner(
                pinned(owned + "sched.cloud.ctrip.com/policy: online}", "n1"), SCHEDULING_POLICY))
        .isEqualTo("pod");
  }

  @Test
  void anOwnerReferenceAlone_makesNoPodOneOfADaemonSet() {
    put("berth-system", "op-deny", ALL_NAMESPACES + policyNamed("p1") + DENY);
    String owned =
        "ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, controller: true}]";

    assertThat(winner(pod(owned), SCHEDULING_POLICY)).isEqualTo("berth-system/op-deny");
    assertThat(winner(pinned(owned, "n1", "n2"), SCHEDULING_POLICY))
        .isEqualTo("berth-system/op-deny");
    assertThat(winner(pinned("labels: {app: web}", "n1"), SCHEDULING_POLICY))
        .isEqualTo("berth-system/op-deny");
  }

  @Test
  void anEmptyAnnotation_isTheSameAsNone() {
    put("team-a", "real", "nodeConfigs: [{name: a}]");

    assertThat(winner(pod("annotations: {scb.sched.cloud.ctrip.com/nsc: ' '}"), NODE_CONFIGS))
        .isEqualTo("team-a/real");
  }

  @Test
  void thePolicyThatTheWebhookWroteForABindingDoesNotPassForThePodsOwn() {
    put("team-a", "real", policyNamed("batch"));

    assertThat(winner(pod("annotations: {sched.cloud.ctrip.com/policy: batch}"), SCHEDULING_POLICY))
        .isEqualTo("team-a/real");
  }

  @Test
  void ofTwoDefaultPoliciesTheOlder_servesThenTheOneWhoseNameComesFirst() {
    catalog.put(policy("b", OLD, "default: true"));
    catalog.put(policy("c", OLD, "default: true"));
    catalog.put(policy("a", NEW, "default: true"));
    catalog.put(policy("oldest-but-no-default", "2020-01-01T00:00:00Z", "default: false"));

    assertThat(catalog.get().defaultPolicy().orElseThrow().name()).isEqualTo("b");
  }

  @Test
  void aChangeOfStatusAlone_keepsTheSnapshot() {
    HasMetadata binding = binding("team-a", "real", OLD, policyNamed("p1"));
    catalog.put(binding);
    ConfigCatalog before = catalog.get();

    catalog.put(binding);

    assertThat(catalog.get()).isSameAs(before);
  }

  private void put(String namespace, String name, String spec) {
    catalog.put(binding(namespace, name, OLD, spec));
  }

  private void remove(String namespace, String name) {
    catalog.remove(binding(namespace, name, OLD, "priority: 0"));
  }

  private static String policyNamed(String name) {
    return "schedulingPolicy: " + name;
  }

  private Resolution resolve(PodSubject pod) {
    return catalog.get().resolve(pod);
  }

  private String winner(PodSubject pod, BindingField field) {
    return resolve(pod).choice(field).map(choice -> name(choice.source())).orElse("nobody");
  }

  private static String name(Source source) {
    return switch (source) {
      case Source.OfBinding binding -> binding.key().toString();
      case Source.OfPod ofPod -> "pod";
    };
  }

  private static PodSubject pod(String metadata) {
    return podOf("team-a", metadata);
  }

  /** Returns a pod whose required node selector terms each name one node. */
  private static PodSubject pinned(String metadata, String... nodes) {
    String terms =
        Stream.of(nodes)
            .map("{matchFields: [{key: metadata.name, operator: In, values: [%s]}]}"::formatted)
            .collect(Collectors.joining(", "));
    return PodSubject.of(
        "team-a",
        yaml(
            """
            metadata: {name: agent-1, %s}
            spec:
              affinity:
                nodeAffinity:
                  requiredDuringSchedulingIgnoredDuringExecution:
                    nodeSelectorTerms: [%s]
            """
                .formatted(metadata, terms)));
  }

  private static PodSubject podOf(String namespace, String metadata) {
    return PodSubject.of(
        namespace,
        yaml("metadata: {name: web-1" + (metadata.isEmpty() ? "" : ", ") + metadata + "}"));
  }
}

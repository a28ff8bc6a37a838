package io.berth.webhook.admission;

import static io.berth.webhook.Resources.binding;
import static io.berth.webhook.Resources.policy;
import static io.berth.webhook.Resources.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulingPolicy;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PodWarningsTest {
  private static final String CREATED = "2026-01-01T00:00:00Z";
  private static final String APPLIED = "sched.cloud.ctrip.com/applied";
  private static final int MOST_BYTES = 262_144;

  private final LiveCatalog catalog = new LiveCatalog("berth-system");
  private final PodMutator mutator = new PodMutator(refusing(), InstantSource.system());

  @BeforeEach
  void catalogue() {
    catalog.put(policy("batch", CREATED, ""));
  }

  @Test
  void aPodWithoutRoomForWhatWasApplied_isAdmittedWithoutItAndWarned() {
    ObjectNode pod = podOfPolicy("batch");
    fill(pod, MOST_BYTES - 60);

    PodVerdict.Admitted admitted = admitted(pod);

    assertThat(admitted.patch().toString())
        .contains("/spec/schedulerName")
        .doesNotContain("applied");
    assertThat(codes(admitted)).containsExactly(ErrorCode.APPLIED_LEFT_OUT);
  }

  @Test
  void aPodWithJustEnoughRoom_isGivenWhatWasApplied() {
    ObjectNode pod = podOfPolicy("batch");
    String applied = appliedTo(admitted(pod));
    fill(pod, MOST_BYTES - APPLIED.length() - applied.length());

    PodVerdict.Admitted fitting = admitted(pod);
    ((ObjectNode) pod.at("/metadata/annotations")).put("one", "");
    PodVerdict.Admitted above = admitted(pod);

    assertThat(appliedTo(fitting)).isEqualTo(applied);
    assertThat(codes(fitting)).isEmpty();
    assertThat(codes(above)).containsExactly(ErrorCode.APPLIED_LEFT_OUT);
  }

  @Test
  void whatAnEarlierReviewAppliedLeavesRoomForWhatThisOneApplies() {
    ObjectNode pod = podOfPolicy("batch");
    ((ObjectNode) pod.at("/metadata/annotations")).put(APPLIED, appliedTo(admitted(pod)));
    fill(pod, MOST_BYTES);

    assertThat(codes(admitted(pod))).isEmpty();
  }

  @Test
  void anOlderNoteThatWouldBeWrongIsRemovedWhereTheNewOneHasNoRoom() {
    ObjectNode pod = podOfPolicy("batch");
    ((ObjectNode) pod.at("/metadata/annotations")).put(APPLIED, "{}");
    fill(pod, MOST_BYTES);

    assertThat(admitted(pod).patch().toString())
        .contains(
            "{\"op\":\"remove\",\"path\":\"/metadata/annotations/sched.cloud.ctrip.com~1applied\"}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"?watch=true", "pool-first/status", "a..b", "Batch", "../configmaps/x", "a%2Fb"})
  void aPolicyThatCannotBeAName_deniesThePodAndIsNeverAskedFor(String name) {
    PodVerdict verdict = mutator.mutate("team-a", podOfPolicy(name), catalog.get());

    assertThat(verdict).isInstanceOf(PodVerdict.Denied.class);
    assertThat(((PodVerdict.Denied) verdict).code()).isEqualTo("BERTH-1612");
    assertThat(((PodVerdict.Denied) verdict).message())
        .contains("at metadata.annotations[sched.cloud.ctrip.com/policy]: ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"?watch=true", "pool/status", "a..b"})
  void aBindingThatNamesWhatCannotBeANameAsksForNothingAndStopsNoPod(String name) {
    catalog.put(
        binding(
            "team-a",
            "odd",
            CREATED,
            "nodeConfigs: [{name: \"" + name + "\"}], schedulingPolicy: \"" + name + "\""));

    assertThat(codes(admitted(yaml("{metadata: {name: web}, spec: {}}"))))
        .contains(ErrorCode.BINDING_REFERENCE_UNKNOWN);
  }

  @Test
  void aPolicyForAPodOfAnotherScheduler_isWarnedAbout() {
    PodVerdict.Admitted admitted =
        admitted(
            yaml(
                "{metadata: {annotations: {sched.cloud.ctrip.com/policy: batch}}, spec:"
                    + " {schedulerName: volcano}}"));

    assertThat(admitted.warnings())
        .singleElement()
        .satisfies(
            warning -> {
              assertThat(warning.code()).isEqualTo(ErrorCode.POLICY_WITHOUT_SCHEDULER);
              assertThat(warning.path()).isEqualTo("spec.schedulerName");
              assertThat(warning.message()).contains("\"volcano\"").contains("\"batch\"");
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"berth", "default-scheduler", ""})
  void aPolicyForAPodThatBerthPlaces_isNotWarnedAbout(String scheduler) {
    assertThat(
            codes(
                admitted(
                    yaml(
                        "{metadata: {annotations: {sched.cloud.ctrip.com/policy: batch}}, spec:"
                            + " {schedulerName: \""
                            + scheduler
                            + "\"}}"))))
        .isEmpty();
  }

  @Test
  void theSchedulerThatABindingAsksFor_isNotWarnedAbout() {
    catalog.put(
        binding("team-a", "b", CREATED, "schedulingPolicy: batch, schedulerName: second-berth"));

    assertThat(codes(admitted(yaml("{metadata: {}, spec: {schedulerName: second-berth}}"))))
        .isEmpty();
  }

  @Test
  void whatADryRunWouldChangeIsWarnedAboutWithACode() {
    catalog.put(
        binding("team-a", "trial", CREATED, "schedulingPolicy: batch, enforcement: DryRun"));

    assertThat(admitted(yaml("{metadata: {}, spec: {}}")).warnings())
        .extracting(Problem::code, Problem::path)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(
                ErrorCode.DRY_RUN, "SchedulerConfigBinding team-a/trial"));
  }

  private static ObjectNode podOfPolicy(String name) {
    ObjectNode pod = (ObjectNode) yaml("{metadata: {annotations: {}}, spec: {}}");
    ((ObjectNode) pod.at("/metadata/annotations")).put("sched.cloud.ctrip.com/policy", name);
    return pod;
  }

  /** Adds an annotation so that all annotations have this number of bytes in total. */
  private static void fill(ObjectNode pod, int bytes) {
    ObjectNode annotations = (ObjectNode) pod.at("/metadata/annotations");
    int there =
        annotations.properties().stream()
            .mapToInt(each -> each.getKey().length() + each.getValue().asText().length())
            .sum();
    // The API server counts bytes, and each of these characters has two.
    int left = bytes - there - "fill".length();
    annotations.put("fill", "\u00e9".repeat(left / 2) + "x".repeat(left % 2));
  }

  private static String appliedTo(PodVerdict.Admitted admitted) {
    for (JsonNode operation : admitted.patch()) {
      if (operation.path("path").asText().endsWith("~1applied")) {
        return operation.path("value").asText();
      }
    }
    throw new AssertionError("nothing says what was applied: " + admitted.patch());
  }

  private static List<ErrorCode> codes(PodVerdict.Admitted admitted) {
    return admitted.warnings().stream().map(Problem::code).toList();
  }

  private PodVerdict.Admitted admitted(JsonNode pod) {
    return switch (mutator.mutate("team-a", pod, catalog.get())) {
      case PodVerdict.Admitted admitted -> admitted;
      case PodVerdict.Denied denied -> throw new AssertionError(denied.message());
    };
  }

  /** Returns a look-up that fails on every call. */
  private static ConfigLookup refusing() {
    return new ConfigLookup() {
      @Override
      public Optional<NodeSchedulerConfig> nodeConfig(String name) {
        throw new AssertionError("asked for " + name);
      }

      @Override
      public Optional<PodSchedulerConfig> podConfig(String name) {
        throw new AssertionError("asked for " + name);
      }

      @Override
      public Optional<SchedulingPolicy> policy(String name) {
        throw new AssertionError("asked for " + name);
      }

      @Override
      public boolean hasQuotaFor(String namespace, String priorityClass) {
        throw new AssertionError("asked for quotas of " + namespace);
      }
    };
  }
}

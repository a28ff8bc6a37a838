package io.berth.webhook.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulingPolicy;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.error.ErrorCode;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pods of guarded PriorityClasses need a quota in their namespace. */
class QuotaGuardTest {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final String POLICY =
      """
      apiVersion: sched.cloud.ctrip.com/v1
      kind: SchedulingPolicy
      metadata: {name: fair, generation: 1}
      spec: {quotaGuard: {priorityClasses: [high]}}
      """;
  private static final String HIGH = "spec: {priorityClassName: high, containers: []}";

  private final LiveCatalog catalog = new LiveCatalog("berth-system");
  private final ApiServer apiServer = new ApiServer();
  private final PodMutator mutator = new PodMutator(apiServer, InstantSource.system());

  @BeforeEach
  void guard() {
    catalog.put(Serialization.unmarshal(POLICY, SchedulingPolicy.class));
  }

  private static ResourceQuota quota(String spec) {
    return Serialization.unmarshal(
        """
        apiVersion: v1
        kind: ResourceQuota
        metadata: {name: for-high, namespace: team-a, resourceVersion: "7"}
        spec: %s
        """
            .formatted(spec),
        ResourceQuota.class);
  }

  private static final String FOR_HIGH =
      "{hard: {pods: 10}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator:"
          + " In, values: [high]}]}}";

  private PodVerdict verdict(String pod) {
    try {
      JsonNode tree = YAML.readTree(pod);
      return mutator.mutate("team-a", tree, catalog.get());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aPodOfAGuardedClass_isDeniedWhereThereIsNoQuota_withTheOneToCreate() {
    assertThat(verdict(HIGH))
        .isInstanceOfSatisfying(
            PodVerdict.Denied.class,
            denied -> {
              assertThat(denied.problems()).hasSize(1);
              assertThat(denied.problems().getFirst().code()).isEqualTo(ErrorCode.QUOTA_REQUIRED);
              assertThat(denied.message())
                  .contains("spec.priorityClassName")
                  .doesNotContain("fair")
                  .contains("team-a has none")
                  .contains("scopeName: PriorityClass, operator: In, values: [high]");
            });
  }

  @Test
  void aQuotaForTheClass_letsItsPodsInAndItsRemovalKeepsThemOutAgain() {
    ResourceQuota quota = quota(FOR_HIGH);
    catalog.put(quota);
    assertThat(verdict(HIGH)).isInstanceOf(PodVerdict.Admitted.class);
    assertThat(apiServer.asked).isEmpty();

    catalog.remove(quota);

    assertThat(verdict(HIGH)).isInstanceOf(PodVerdict.Denied.class);
  }

  @Test
  void aQuotaThatTheWatchHasNotShownYet_isAskedFor() {
    apiServer.hasQuota = true;

    assertThat(verdict(HIGH)).isInstanceOf(PodVerdict.Admitted.class);
    assertThat(apiServer.asked).containsExactly("team-a/high");
  }

  @Test
  void podsOfOtherClassesAndOfNone_areNotAskedAbout() {
    assertThat(verdict("spec: {priorityClassName: low, containers: []}"))
        .isInstanceOf(PodVerdict.Admitted.class);
    assertThat(verdict("spec: {containers: []}")).isInstanceOf(PodVerdict.Admitted.class);
    assertThat(apiServer.asked).isEmpty();
  }

  @Test
  void anApiServerThatDoesNotAnswerStopsNoPod() {
    apiServer.failure =
        Optional.of(
            new LookupFailedException("no answer within a second", new IOException("timeout")));

    assertThat(verdict(HIGH))
        .isInstanceOfSatisfying(
            PodVerdict.Admitted.class,
            admitted ->
                assertThat(admitted.mistakes())
                    .extracting(PlatformMistake::code)
                    .containsExactly(ErrorCode.LOOKUP_FAILED));
  }

  @Test
  void onlyQuotasThatCountEveryPodOfTheClass_areQuotasForIt() {
    List<String> others =
        List.of(
            "{hard: {pods: 10}}",
            "{hard: {}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In,"
                + " values: [high]}]}}",
            "{hard: {pods: 10}, scopes: [BestEffort], scopeSelector: {matchExpressions:"
                + " [{scopeName: PriorityClass, operator: In, values: [high]}]}}",
            "{hard: {pods: 10}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass,"
                + " operator: NotIn, values: [high]}]}}",
            "{hard: {pods: 10}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass,"
                + " operator: DoesNotExist}]}}",
            "{hard: {pods: 10}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass,"
                + " operator: In, values: [low]}]}}");
    for (String other : others) {
      catalog.put(quota(other));
      assertThat(verdict(HIGH)).as(other).isInstanceOf(PodVerdict.Denied.class);
    }
    List<String> counting =
        List.of(
            FOR_HIGH,
            "{hard: {cpu: 10}, scopes: [PriorityClass]}",
            "{hard: {pods: 10}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass,"
                + " operator: Exists}]}}",
            "{hard: {pods: 10}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass,"
                + " operator: NotIn, values: [low]}]}}");
    for (String quota : counting) {
      catalog.put(quota(quota));
      assertThat(verdict(HIGH)).as(quota).isInstanceOf(PodVerdict.Admitted.class);
    }
  }

  /** An API server with or without a quota, which records the requests. */
  private static final class ApiServer implements ConfigLookup {
    private final List<String> asked = new ArrayList<>();
    private boolean hasQuota;
    private Optional<LookupFailedException> failure = Optional.empty();

    @Override
    public Optional<NodeSchedulerConfig> nodeConfig(String name) {
      return Optional.empty();
    }

    @Override
    public Optional<PodSchedulerConfig> podConfig(String name) {
      return Optional.empty();
    }

    @Override
    public Optional<SchedulingPolicy> policy(String name) {
      return Optional.empty();
    }

    @Override
    public boolean hasQuotaFor(String namespace, String priorityClass) {
      asked.add(namespace + "/" + priorityClass);
      failure.ifPresent(
          each -> {
            throw each;
          });
      return hasQuota;
    }
  }
}

package io.berth.webhook.admission;

import static io.berth.webhook.Resources.binding;
import static io.berth.webhook.Resources.policy;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.webhook.binding.Controller;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.binding.Owner;
import io.berth.webhook.binding.OwnerLookup;
import io.berth.webhook.binding.OwnerNames;
import io.berth.webhook.binding.PolicyServing;
import io.berth.webhook.validation.ConfigValidator;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Pods of bindings whose rollout includes a share of the owners. */
class RolloutOwnersTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CREATED = "2026-01-01T00:00:00Z";

  private final Owners owners = new Owners();
  private final LiveCatalog catalog =
      new LiveCatalog("berth-system", owners, PolicyServing.always());
  private final AdmissionService service =
      new AdmissionService(
          catalog,
          new PodMutator(ConfigLookup.nothing(), InstantSource.system()),
          new ConfigValidator((name, spec) -> List.of()),
          AdmissionObserver.none());

  /** A look-up that returns the test's owners after they have been learned. */
  private static final class Owners implements OwnerLookup {
    private final Map<String, Owner> roots = new HashMap<>();
    private final List<String> looked = new ArrayList<>();
    private Optional<String> failure = Optional.empty();

    @Override
    public Owner root(String namespace, Controller controller, Map<String, String> podLabels) {
      return looked.contains(controller.name()) && failure.isEmpty()
          ? roots.getOrDefault(controller.name(), controller.asOwner())
          : OwnerNames.root(controller, podLabels);
    }

    @Override
    public Optional<String> learn(String namespace, Controller controller) {
      looked.add(controller.name());
      return failure;
    }
  }

  @Test
  void podsOfJobsOfOneCronJob_areAllInOrAllOut() throws Exception {
    rollout(50);
    for (int cronJob = 0; cronJob < 20; cronJob++) {
      List<Boolean> reached = new ArrayList<>();
      for (int run = 0; run < 5; run++) {
        String job = "run-" + run + "-of-" + cronJob;
        owners.roots.put(job, new Owner("CronJob", "nightly-" + cronJob));
        reached.add(isReached(podOf(job)));
      }
      assertThat(reached).containsOnly(reached.getFirst());
    }
  }

  @Test
  void standaloneJobsOfLikeNames_areOwnersOfTheirOwn() throws Exception {
    rollout(50);
    List<Boolean> reached = new ArrayList<>();
    for (int minute = 29384750; minute < 29384790; minute++) {
      reached.add(isReached(podOf("st-" + minute)));
    }

    assertThat(reached).contains(true, false);
  }

  @Test
  void anOwnerThatCannotBeLookedUp_isAWarningAndItsNameDecides() throws Exception {
    rollout(50);
    owners.failure = Optional.of("Job team-a/st-29384750: no answer within 300 ms");

    JsonNode first = review(podOf("st-29384750"));

    assertThat(first.path("allowed").asBoolean()).isTrue();
    assertThat(first.at("/warnings/0").asText())
        .startsWith("BERTH-1708 at metadata.ownerReferences: ")
        .contains("(Job team-a/st-29384750: no answer within 300 ms)");
    for (int minute = 29384751; minute < 29384780; minute++) {
      assertThat(review(podOf("st-" + minute)).has("patch")).isEqualTo(first.has("patch"));
    }
  }

  @Test
  void nobodyLooksForAnOwnerThatNoRolloutAsksFor() throws Exception {
    rollout(100);
    catalog.put(
        binding("team-b", "elsewhere", CREATED, "rollout: {percent: 50}, schedulingPolicy: batch"));
    owners.failure = Optional.of("asked in vain");

    assertThat(review(podOf("st-29384750")).has("warnings")).isFalse();
    assertThat(owners.looked).isEmpty();
  }

  private void rollout(int percent) {
    catalog.put(policy("batch", CREATED, ""));
    catalog.put(
        binding(
            "team-a",
            "some",
            CREATED,
            "rollout: {percent: " + percent + "}, schedulingPolicy: batch"));
  }

  private boolean isReached(String pod) throws Exception {
    return review(pod).has("patch");
  }

  private static String podOf(String job) {
    return """
    {"metadata": {"generateName": "%s-", "ownerReferences": [
      {"apiVersion": "batch/v1", "kind": "Job", "name": "%s", "uid": "uid-of-%s", "controller": true}]},
     "spec": {}}
    """
        .formatted(job, job, job);
  }

  private JsonNode review(String pod) throws Exception {
    String body =
        """
        {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
          "uid": "uid-1", "operation": "CREATE", "namespace": "team-a", "kind": {"kind": "Pod"}, "object": %s}}
        """
            .formatted(pod);
    return JSON.readTree(
            service.review(AdmissionPath.MUTATE_PODS, body.getBytes(StandardCharsets.UTF_8)))
        .path("response");
  }
}

package io.berth.webhook.admission;

import static io.berth.webhook.Resources.policy;
import static io.berth.webhook.Resources.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Annotations;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.validation.ConfigValidator;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The traceparent that the webhook writes on pods. */
class TracedPodTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String OURS = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  private static final String PATH =
      "/metadata/annotations/" + Annotations.TRACEPARENT.replace("/", "~1");
  private static final String OF_BATCH =
      "{metadata: {generateName: web-, annotations: {sched.cloud.ctrip.com/policy: batch}}, spec:"
          + " {}}";

  private final LiveCatalog catalog = new LiveCatalog("berth-system");
  private final List<PodTracing.CreatedPod> traced = new ArrayList<>();

  private JsonNode patch(String operation, boolean dryRun, ObjectNode pod, Optional<String> trace)
      throws Exception {
    catalog.put(policy("batch", "2026-01-01T00:00:00Z", ""));
    PodTracing tracing =
        (created, took) -> {
          traced.add(created);
          return trace;
        };
    AdmissionService service =
        new AdmissionService(
            CatalogSource.of(catalog),
            new PodMutator(ConfigLookup.nothing(), InstantSource.system()),
            new ConfigValidator((name, spec) -> List.of()),
            AdmissionObserver.none(),
            Optional.of(tracing));
    ObjectNode review =
        JSON.createObjectNode()
            .put("kind", "AdmissionReview")
            .put("apiVersion", "admission.k8s.io/v1");
    ObjectNode request = review.putObject("request");
    request
        .put("uid", "u")
        .put("operation", operation)
        .put("namespace", "team-a")
        .put("dryRun", dryRun);
    request.putObject("kind").put("kind", "Pod");
    request.set("object", pod);
    request.set("oldObject", pod);
    JsonNode response =
        JSON.readTree(
                service.review(
                    AdmissionPath.MUTATE_PODS, review.toString().getBytes(StandardCharsets.UTF_8)))
            .path("response");
    assertThat(response.path("allowed").asBoolean()).isTrue();
    return response.has("patch")
        ? JSON.readTree(Base64.getDecoder().decode(response.path("patch").asText()))
        : JSON.createArrayNode();
  }

  private static ObjectNode pod(String text) {
    return (ObjectNode) yaml(text);
  }

  private static List<String> operations(JsonNode patch) {
    List<String> operations = new ArrayList<>();
    patch.forEach(
        each -> {
          if (each.path("path").asText().equals(PATH)) {
            operations.add(each.path("op").asText() + " " + each.path("value").asText());
          }
        });
    return operations;
  }

  @Test
  void aTracedPod_getsTheTraceparent_asItIsAfterTheReview() throws Exception {
    JsonNode patch = patch("CREATE", false, pod(OF_BATCH), Optional.of(OURS));

    assertThat(operations(patch)).containsExactly("add " + OURS);
    assertThat(traced)
        .containsExactly(new PodTracing.CreatedPod("team-a", "web-", "berth", "batch", ""));
  }

  @Test
  void aPodWithoutAnnotations_getsThemWithTheTraceparent() throws Exception {
    JsonNode patch =
        patch(
            "CREATE",
            false,
            pod("{metadata: {name: a}, spec: {schedulerName: berth}}"),
            Optional.of(OURS));

    assertThat(patch.path(0).path("path").asText()).isEqualTo("/metadata/annotations");
    assertThat(operations(patch)).containsExactly("add " + OURS);
  }

  @Test
  void anAnnotationThatThePodBrings_isRemoved_whereThePodIsNotTraced() throws Exception {
    ObjectNode pod = pod(OF_BATCH);
    ((ObjectNode) pod.at("/metadata/annotations")).put(Annotations.TRACEPARENT, "forged");

    assertThat(operations(patch("CREATE", false, pod, Optional.empty())))
        .containsExactly("remove ");
    assertThat(traced).extracting(PodTracing.CreatedPod::traceparent).containsExactly("forged");
  }

  @Test
  void dryRunsAndUpdates_areNotTraced() throws Exception {
    assertThat(operations(patch("CREATE", true, pod(OF_BATCH), Optional.of(OURS)))).isEmpty();
    assertThat(operations(patch("UPDATE", false, pod(OF_BATCH), Optional.of(OURS)))).isEmpty();
    assertThat(traced).isEmpty();
  }

  @Test
  void aPodWhoseAnnotationsAreFull_isNotTraced() throws Exception {
    ObjectNode pod = pod(OF_BATCH);
    ((ObjectNode) pod.at("/metadata/annotations"))
        .put("filler", "x".repeat(PodPatch.MOST_ANNOTATION_BYTES - 100));

    assertThat(operations(patch("CREATE", false, pod, Optional.of(OURS)))).isEmpty();
    assertThat(traced).isEmpty();
  }
}

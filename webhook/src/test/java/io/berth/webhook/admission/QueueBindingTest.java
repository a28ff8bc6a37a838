package io.berth.webhook.admission;

import static io.berth.webhook.Resources.binding;
import static io.berth.webhook.Resources.namespace;
import static io.berth.webhook.Resources.queue;
import static io.berth.webhook.Resources.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.webhook.binding.BindingKey;
import io.berth.webhook.binding.BindingReport;
import io.berth.webhook.binding.CatalogPart;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.binding.PodSubject;
import io.berth.webhook.error.Problem;
import io.berth.webhook.validation.ConfigValidator;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Bindings that assign a queue. */
class QueueBindingTest {
  private static final String CREATED = "2026-01-01T00:00:00Z";
  private static final String LABEL = "sched.cloud.ctrip.com/queue";
  private static final String APPLIED = "sched.cloud.ctrip.com/applied";

  private final LiveCatalog catalog = new LiveCatalog("berth-system");
  private final PodMutator mutator = new PodMutator(ConfigLookup.nothing(), InstantSource.system());

  @BeforeEach
  void makeQueues() {
    catalog.put(namespace("team", "tier: batch"));
    catalog.put(queue("a", "namespaces: {names: [team]}"));
    catalog.put(queue("b", "namespaces: {selector: {matchLabels: {tier: batch}}}"));
    catalog.put(queue("others", "namespaces: {names: [elsewhere]}"));
  }

  private void bind(String spec) {
    bind("team", "queues", spec);
  }

  private void bind(String namespace, String name, String spec) {
    catalog.put(binding(namespace, name, CREATED, spec));
  }

  private static JsonNode pod(String labels) {
    return yaml("{metadata: {name: p, labels: {%s}}, spec: {}}".formatted(labels));
  }

  private PodVerdict.Admitted admitted(JsonNode pod) {
    return (PodVerdict.Admitted) mutator.mutate("team", pod, catalog.get());
  }

  private JsonNode stored(JsonNode pod) {
    JsonNode stored = JsonPatch.apply(pod, admitted(pod).patch());
    assertThat(JsonPatch.apply(stored, admitted(stored).patch()))
        .as("rendering twice changes nothing")
        .isEqualTo(stored);
    return stored;
  }

  private static String queueOf(JsonNode pod) {
    return pod.path("metadata").path("labels").path(LABEL).asText("");
  }

  private List<String> warnings(JsonNode pod) {
    return admitted(pod).warnings().stream().map(Problem::text).toList();
  }

  @Test
  void queueIsWrittenIntoTheLabel_andRecorded() {
    bind("queue: a");

    JsonNode stored = stored(yaml("{metadata: {name: p}, spec: {}}"));
    assertThat(queueOf(stored)).isEqualTo("a");
    assertThat(stored.path("metadata").path("annotations").path(APPLIED).asText())
        .isEqualTo("{\"queue\":{\"by\":\"binding team/queues@1\",\"name\":\"a\"}}");
    assertThat(stored.path("spec").has("schedulerName")).as("no policy is set").isFalse();
  }

  @Test
  void labelOfThePodStays_ifTheBindingAllowsIt() {
    bind("queue: a");

    assertThat(queueOf(stored(pod(LABEL + ": b")))).isEqualTo("b");
    assertThat(warnings(pod(LABEL + ": b"))).isEmpty();
  }

  @Test
  void labelOfThePodIsReplaced_ifTheBindingDeniesOverrides() {
    bind("podOverrides: Deny, queue: a");

    assertThat(queueOf(stored(pod(LABEL + ": b")))).isEqualTo("a");
    assertThat(warnings(pod(LABEL + ": b")))
        .singleElement()
        .asString()
        .contains(
            "BERTH-1607", "metadata.labels[" + LABEL + "]", "SchedulerConfigBinding team/queues");
  }

  @Test
  void bindingOfThePlatform_thatDeniesOverrides_winsOverTheTenants() {
    bind("team", "own", "podOverrides: Deny, queue: b");
    bind("berth-system", "platform", "namespaceSelector: {}, podOverrides: Deny, queue: a");

    assertThat(queueOf(stored(pod("")))).isEqualTo("a");
    BindingReport report =
        BindingReport.of(catalog.get(), Map.of(PodSubject.of("team", pod("")), 3))
            .get(new BindingKey("team", "own"));
    assertThat(report.losesTo())
        .singleElement()
        .satisfies(it -> assertThat(it.pods()).isEqualTo(3));
  }

  @Test
  void bindingWhoseQueueDoesNotAdmitTheNamespace_contributesNothing() {
    bind("queue: others");
    assertThat(queueOf(stored(pod("")))).isEmpty();
    assertThat(warnings(pod("")))
        .singleElement()
        .asString()
        .contains(
            "BERTH-1701",
            "spec.queue names SchedulingQueue \"others\", which does not exist, has parts, or does"
                + " not admit namespace team; the pod is admitted without this binding");

    bind("queue: missing");
    assertThat(queueOf(stored(pod("")))).isEmpty();

    catalog.put(queue("part", "parent: a"));
    bind("queue: a");
    assertThat(queueOf(stored(pod("")))).isEmpty();
  }

  @Test
  void dryRun_countsPodsThatWouldChangeTheirQueue() {
    bind("enforcement: DryRun, queue: a");

    BindingReport report =
        BindingReport.of(
                catalog.get(),
                catalog
                    .get()
                    .alike(
                        List.of(
                            PodSubject.of("team", pod("")),
                            PodSubject.of("team", pod(LABEL + ": a")),
                            PodSubject.of("team", pod(LABEL + ": b")))))
            .get(new BindingKey("team", "queues"));
    assertThat(report.matchedPods()).isEqualTo(3);
    assertThat(report.wouldChange())
        .as("one has the queue already, and one keeps its own")
        .isEqualTo(1);
    assertThat(queueOf(stored(pod("")))).isEmpty();
  }

  @Test
  void reviewOfAPodWithAQueue_readsTheQueues() {
    bind("queue: b");

    assertThat(catalog.get().deciding(PodSubject.of("team", pod(""))))
        .contains(CatalogPart.QUEUES, CatalogPart.NAMESPACE);
  }

  private JsonNode updated(String before, String after) {
    PodVerdict.Admitted verdict =
        (PodVerdict.Admitted) PodUpdate.judge("team", pod(before), pod(after), catalog.get());
    return JsonPatch.apply(pod(after), verdict.patch());
  }

  @Test
  void updateToAnotherQueue_isReverted_ifTheBindingDeniesOverrides() {
    bind("podOverrides: Deny, queue: a");

    assertThat(queueOf(updated(LABEL + ": a", LABEL + ": b"))).isEqualTo("a");
    assertThat(queueOf(updated(LABEL + ": a", ""))).isEqualTo("a");
    assertThat(queueOf(updated("", LABEL + ": b"))).isEmpty();
    assertThat(queueOf(updated("", LABEL + ": a"))).as("the queue of the binding").isEqualTo("a");
  }

  @Test
  void updateToAnotherQueue_isKept_ifTheBindingAllowsIt() {
    bind("queue: a");

    assertThat(queueOf(updated(LABEL + ": a", LABEL + ": b"))).isEqualTo("b");
  }

  @Test
  void bindingThatNamesAnUnusableQueue_isStoredWithAWarning() {
    ConfigValidator validator = new ConfigValidator((name, spec) -> List.of());

    assertThat(
            validator
                .validate(
                    "SchedulerConfigBinding",
                    "team",
                    "new",
                    yaml("{spec: {queue: aa}}"),
                    catalog.get())
                .warnings())
        .singleElement()
        .satisfies(
            warning ->
                assertThat(warning.text())
                    .contains("BERTH-1701 at spec.queue", "\"aa\"", "did you mean \"a\"?"));
    assertThat(
            validator
                .validate(
                    "SchedulerConfigBinding",
                    "berth-system",
                    "new",
                    yaml("{spec: {namespaceSelector: {}, queue: others}}"),
                    catalog.get())
                .warnings())
        .as("the platform team may name a queue of other namespaces")
        .noneMatch(warning -> warning.text().contains("spec.queue"));
  }
}

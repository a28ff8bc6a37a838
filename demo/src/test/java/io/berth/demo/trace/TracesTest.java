package io.berth.demo.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.crds.Annotations;
import io.berth.demo.ground.BerthGround;
import io.berth.operator.trace.TracingOptions;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Traces of pods on an embedded cluster, as received by a collector. */
class TracesTest {

  private static final String OF_BATCH = "annotations: {sched.cloud.ctrip.com/policy: batch}";
  private static final String FORGED = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  private static Collector collector;
  private static BerthGround ground;

  @BeforeAll
  static void start() throws Exception {
    collector = new Collector();
    ground =
        BerthGround.start(
            BerthGround.options().withTracing(new TracingOptions(collector.url(), 1)));
    ground.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: batch}
        spec: {}
        """);
    ground.awaitPolicy("batch", "Serving");
  }

  @AfterAll
  static void stop() {
    ground.close();
    collector.close();
  }

  private static Map<String, Span> awaitSpans(String pod, int count) {
    List<Span> spans =
        await()
            .atMost(BerthGround.SOON)
            .until(() -> collector.spansOf(pod), found -> found.size() >= count);
    return spans.stream().collect(Collectors.toMap(Span::getName, span -> span));
  }

  private static String traceparent(Pod pod) {
    return Objects.requireNonNullElse(
        pod.getMetadata().getAnnotations().get(Annotations.TRACEPARENT), "none");
  }

  @Test
  void aPlacedPod_isOneTraceOfFourSpans() {
    Pod created = ground.createPod("default", "traced", OF_BATCH);
    String node = ground.awaitNode("default", "traced");

    Map<String, Span> spans = awaitSpans("traced", 4);

    assertThat(spans).containsOnlyKeys("webhook", "queue", "attempt", "binding");
    Span webhook = spans.get("webhook");
    assertThat(traceparent(created))
        .isEqualTo("00-" + Collector.traceId(webhook) + "-" + Collector.spanId(webhook) + "-01");
    assertThat(webhook.getParentSpanId().isEmpty()).isTrue();
    for (String child : List.of("queue", "attempt", "binding")) {
      assertThat(spans.get(child).getTraceId()).isEqualTo(webhook.getTraceId());
      assertThat(spans.get(child).getParentSpanId()).isEqualTo(webhook.getSpanId());
    }
    assertThat(Collector.attributes(spans.get("attempt")))
        .containsEntry("berth.policy", "batch")
        .containsEntry("berth.result", "placed")
        .containsEntry("berth.attempt", "1")
        .containsEntry("berth.nodes.feasible", "9")
        .containsEntry("k8s.node.name", node)
        .containsEntry("k8s.pod.uid", created.getMetadata().getUid());
    assertThat(spans.get("queue").getEndTimeUnixNano())
        .isGreaterThanOrEqualTo(spans.get("queue").getStartTimeUnixNano())
        .isLessThanOrEqualTo(spans.get("attempt").getEndTimeUnixNano());
    assertThat(spans.get("binding").getStartTimeUnixNano())
        .isEqualTo(spans.get("attempt").getEndTimeUnixNano());
    assertThat(spans.get("binding").getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_UNSET);
  }

  @Test
  void aPodThatFitsNowhere_hasTheReasonInTheSpanOfItsAttempt() {
    ground.apply(
        """
        apiVersion: v1
        kind: Pod
        metadata:
          namespace: default
          name: huge
          annotations: {sched.cloud.ctrip.com/policy: batch}
        spec:
          containers:
          - {name: main, image: busybox, resources: {requests: {cpu: "64"}}}
        """);

    Span attempt = awaitSpans("huge", 3).get("attempt");

    assertThat(Collector.attributes(attempt))
        .containsEntry("berth.result", "unschedulable")
        .containsEntry("berth.nodes.feasible", "0");
    assertThat(Collector.attributes(attempt).get("berth.message"))
        .startsWith("0/9 nodes are available: 9 Insufficient cpu.");
  }

  @Test
  void aPodOfAnotherScheduler_isNotTraced() {
    ground.apply(
        """
        apiVersion: v1
        kind: Pod
        metadata:
          namespace: default
          name: elsewhere
          annotations: {sched.cloud.ctrip.com/traceparent: %s}
        spec:
          schedulerName: another
          containers: [{name: main, image: busybox}]
        """
            .formatted(FORGED));

    assertThat(ground.pod("default", "elsewhere").getMetadata().getAnnotations())
        .doesNotContainKey(Annotations.TRACEPARENT);
  }

  @Test
  void aForgedTraceparent_isReplacedAtCreation_andIgnoredLater() {
    Pod created = ground.createPod("default", "forged", traced(FORGED));
    assertThat(traceparent(created)).isNotEqualTo(FORGED).startsWith("00-").endsWith("-01");

    ground.apply(
        """
        apiVersion: v1
        kind: Pod
        metadata:
          namespace: default
          name: held
          annotations: {sched.cloud.ctrip.com/policy: batch}
        spec:
          schedulingGates: [{name: example.com/not-yet}]
          containers: [{name: main, image: busybox}]
        """);
    patch(
        "held",
        "{\"metadata\":{\"annotations\":{\"%s\":\"%s\"}}}"
            .formatted(Annotations.TRACEPARENT, FORGED));
    patch("held", "{\"spec\":{\"schedulingGates\":null}}");
    ground.awaitNode("default", "held");
    awaitEverythingSent("after-held");

    assertThat(collector.spansOf("held")).extracting(Span::getName).containsExactly("webhook");
    assertThat(collector.spans())
        .extracting(Collector::traceId)
        .doesNotContain(FORGED.substring(3, 35));
  }

  @Test
  void aCopiedTraceparent_makesNoSecondTrace() {
    Pod first = ground.createPod("default", "original", OF_BATCH);
    awaitSpans("original", 4);

    ground.createPod("default", "copy", traced(traceparent(first)));
    ground.awaitNode("default", "copy");
    awaitEverythingSent("after-copy");

    assertThat(collector.spansOf("copy")).isEmpty();
  }

  @Test
  void podsAreServed_whenTheCollectorTakesNothing_andLostSpansAreCounted() throws Exception {
    collector.answer(400);
    try {
      ground.createPod("default", "untold", OF_BATCH);
      ground.awaitNode("default", "untold");
      await()
          .atMost(BerthGround.SOON)
          .until(
              () -> metrics(),
              page -> page.contains("berth_trace_spans_lost_total{reason=\"export_failed\"}"));
    } finally {
      collector.answer(200);
    }
  }

  private static String traced(String traceparent) {
    return OF_BATCH.replace("}", ", " + Annotations.TRACEPARENT + ": " + traceparent + "}");
  }

  private static void patch(String pod, String patch) {
    ground
        .admin()
        .pods()
        .inNamespace("default")
        .withName(pod)
        .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  /**
   * Waits until all previous spans have been sent. Spans are sent in the order in which they end.
   */
  private static void awaitEverythingSent(String marker) {
    ground.createPod("default", marker, OF_BATCH);
    awaitSpans(marker, 4);
  }

  private static String metrics() throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(ground.berth().httpUrl().resolve("/metrics")).build(),
              HttpResponse.BodyHandlers.ofString())
          .body();
    }
  }
}

package io.berth.operator.bind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.api.Attempt;
import io.berth.engine.api.Decision.Placed;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.extender.Extender;
import io.berth.engine.extender.Extenders;
import io.berth.engine.model.PodRef;
import io.berth.engine.volume.VolumeStep;
import io.berth.operator.api.ScriptedServer;
import io.berth.operator.api.ScriptedServer.Reply;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The binder's handling of API server responses; the test server sends given responses. */
class BinderTest {

  private final ConcurrentLinkedQueue<Reply> toBindings = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Reply> toReads = new ConcurrentLinkedQueue<>();
  private final List<JsonNode> bindings = new CopyOnWriteArrayList<>();
  private final Set<String> deletedNodes = ConcurrentHashMap.newKeySet();
  private final List<String> outcomes = new CopyOnWriteArrayList<>();
  private final List<String> prepared = new CopyOnWriteArrayList<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicInteger roomAgain = new AtomicInteger();
  private ScriptedServer server;
  private Binder binder;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer(this::answer);
    binder = binder(VolumePreparation.none(), OtherBinder.none());
  }

  @AfterEach
  void stop() {
    ended.countDown();
    server.close();
  }

  private Binder binder(VolumePreparation volumes, OtherBinder others) {
    return new Binder(
        server.api(), volumes, others, name -> !deletedNodes.contains(name), new Outcomes());
  }

  private final class Outcomes implements BindingOutcomes {
    @Override
    public void prepared(Placed placed) {
      prepared.add("%s with %d Bindings sent".formatted(placed.pod(), bindings.size()));
    }

    @Override
    public void bound(Placed placed, Duration took) {
      outcomes.add(placed.pod() + " bound");
    }

    @Override
    public void failed(Placed placed, String reason, boolean retry) {
      outcomes.add(placed.pod() + " failed, retry " + retry + ": " + reason);
    }

    @Override
    public void hasRoomAgain() {
      roomAgain.incrementAndGet();
    }
  }

  private Reply answer(String path, JsonNode body) {
    boolean binding = path.endsWith("/binding");
    if (path.contains("/namespaces/hanging/")) {
      return binding ? neverInTime() : new Reply(200, pod("uid-any", ""));
    }
    if (path.contains("/namespaces/refused/")) {
      return new Reply(
          500, "{\"message\":\"Internal error occurred: failed calling webhook \\\"w\\\"\"}");
    }
    if (binding) {
      bindings.add(body);
    }
    Reply scripted = (binding ? toBindings : toReads).poll();
    return scripted == null ? new Reply(201, "{}") : scripted;
  }

  private Reply neverInTime() {
    try {
      ended.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return new Reply(201, "{}");
  }

  private static Placed placed(String pod, Map<String, String> annotations) {
    return placedIn("team", pod, annotations);
  }

  private static Placed placedIn(String namespace, String pod, Map<String, String> annotations) {
    return new Placed(
        new PodRef(namespace, pod, "uid-" + pod),
        new Attempt(1, Instant.EPOCH),
        "node-1",
        List.of(),
        annotations,
        Map.of(),
        List.of(),
        Optional.empty(),
        new CycleRecord.Untried("policy", "", 1, ""));
  }

  private void awaitOutcomes(int count) {
    await().atMost(Duration.ofSeconds(20)).until(() -> outcomes.size() == count);
  }

  @Test
  void failedBinding_isReported_whenNothingOfThePlacementCanBeWrittenAnyMore() {
    AtomicReference<Runnable> report = new AtomicReference<>();
    binder =
        binder(
            new VolumePreparation() {
              @Override
              public void prepare(
                  Placed placed, BooleanSupplier wanted, Runnable ready, Consumer<String> failed) {
                ready.run();
              }

              @Override
              public void settle(Placed placed, Runnable then) {
                report.set(then);
              }
            },
            OtherBinder.none());
    toBindings.add(new Reply(403, "{\"message\":\"forbidden\"}"));

    binder.bind(placed("web", Map.of()));
    await().atMost(Duration.ofSeconds(20)).until(() -> report.get() != null);
    assertThat(outcomes).isEmpty();
    report.get().run();

    assertThat(outcomes).singleElement().asString().startsWith("team/web failed");
  }

  @Test
  void binding_carriesUidNodeAndAnnotations() {
    binder.bind(placed("web", Map.of("gpu", "0,1")));

    awaitOutcomes(1);
    assertThat(outcomes).containsExactly("team/web bound");
    JsonNode binding = bindings.getFirst();
    assertThat(binding.at("/metadata/uid").asText()).isEqualTo("uid-web");
    assertThat(binding.at("/metadata/annotations/gpu").asText()).isEqualTo("0,1");
    assertThat(binding.at("/target/name").asText()).isEqualTo("node-1");
  }

  @Test
  void binding_carriesLabels() {
    Placed plain = placed("web", Map.of());
    binder.bind(
        new Placed(
            plain.pod(),
            plain.attempt(),
            plain.nodeName(),
            List.of(),
            Map.of(),
            Map.of("topology", "rack-1"),
            List.of(),
            Optional.empty(),
            plain.record()));

    awaitOutcomes(1);
    assertThat(bindings.getFirst().at("/metadata/labels/topology").asText()).isEqualTo("rack-1");
  }

  @Test
  void throttledBinding_isSentAgain() {
    toBindings.add(new Reply(429, "{}"));

    binder.bind(placed("web", Map.of()));

    awaitOutcomes(1);
    assertThat(outcomes).containsExactly("team/web bound");
    assertThat(bindings).hasSize(2);
  }

  @Test
  void lostAnswer_ofABindingThatWasTaken_countsAsBound() {
    toBindings.add(new Reply(500, "{}"));
    toReads.add(new Reply(200, pod("uid-web", "node-1")));

    binder.bind(placed("web", Map.of()));

    awaitOutcomes(1);
    assertThat(outcomes).containsExactly("team/web bound");
    assertThat(bindings).hasSize(1);
  }

  @Test
  void podThatCannotBeRead_isNotTakenForGone() {
    toBindings.add(new Reply(500, "{}"));
    toReads.add(new Reply(403, "{\"message\":\"may not read\"}"));
    toReads.add(new Reply(200, "a proxy says hello"));
    toReads.add(new Reply(200, pod("uid-web", "node-1")));

    binder.bind(placed("web", Map.of()));

    awaitOutcomes(1);
    assertThat(outcomes).containsExactly("team/web bound");
  }

  @Test
  void afterTheTermHasEnded_noBindingIsSent_andNobodyHearsOfOne() throws InterruptedException {
    // The term ends with the first request, as after the process was suspended for too long.
    Binder fenced =
        new Binder(
            server.api().onlyWhile(bindings::isEmpty),
            VolumePreparation.none(),
            OtherBinder.none(),
            name -> true,
            new Outcomes());
    toBindings.add(new Reply(429, "{}"));
    fenced.bind(placed("web", Map.of()));
    await().until(() -> bindings.size() == 1);

    fenced.bind(placed("api", Map.of()));

    assertThat(fenced.awaitQuiet(Duration.ofSeconds(20))).isTrue();
    assertThat(bindings).hasSize(1);
    assertThat(outcomes).isEmpty();
  }

  @Test
  void lostAnswer_ofABindingThatWasNotTaken_isSentAgain() {
    toBindings.add(new Reply(503, "{}"));
    toReads.add(new Reply(200, pod("uid-web", "")));

    binder.bind(placed("web", Map.of()));

    awaitOutcomes(1);
    assertThat(outcomes).containsExactly("team/web bound");
    assertThat(bindings).hasSize(2);
  }

  @Test
  void lostAnswer_ofAPodCreatedAgainUnderTheSameName_fails() {
    toBindings.add(new Reply(500, "{}"));
    toReads.add(new Reply(200, pod("uid-of-another", "node-1")));

    binder.bind(placed("web", Map.of()));

    awaitOutcomes(1);
    assertThat(outcomes).containsExactly("team/web failed, retry false: the pod is gone");
  }

  @Test
  void aWebhookThatCannotBeCalled_isNamedAtOnce_andIsNoSignOfTheServersHealth() {
    String message =
        "Internal error occurred: failed calling webhook h5.example.com: connection refused";
    for (int i = 0; i < 40; i++) {
      toBindings.add(new Reply(500, "{\"message\":\"%s\"}".formatted(message)));
    }
    int before = binder.inFlightLimit();

    for (int i = 0; i < 40; i++) {
      binder.bind(placed("web-" + i, Map.of()));
    }

    awaitOutcomes(40);
    assertThat(outcomes.getFirst())
        .contains("failed, retry true: Internal error occurred: failed calling webhook");
    assertThat(bindings).as("one request for each").hasSize(40);
    assertThat(binder.inFlightLimit()).isGreaterThanOrEqualTo(before);
  }

  @Test
  void whatTheServerSaid_isReported_afterTheLastRequest() {
    for (int i = 0; i < 4; i++) {
      toBindings.add(new Reply(503, "{\"message\":\"etcd has no leader\"}"));
      toReads.add(new Reply(200, pod("uid-web", "")));
    }

    binder.bind(placed("web", Map.of()));

    awaitOutcomes(1);
    assertThat(outcomes)
        .containsExactly(
            "team/web failed, retry true: gave up after 8 requests: etcd has no leader");
  }

  @Test
  void aPodThatTheLastBindingMayHaveBound_isReadBeforeItsResourcesAreGivenToOthers() {
    toBindings.add(new Reply(503, "{\"message\":\"etcdserver: request timed out\"}"));
    toReads.add(new Reply(500, "{}"));
    for (int i = 0; i < 3; i++) {
      toReads.add(new Reply(200, pod("uid-web", "")));
      toBindings.add(new Reply(409, "{\"message\":\"the object has been modified\"}"));
    }
    toReads.add(new Reply(200, pod("uid-web", "node-1")));

    binder.bind(placed("web", Map.of()));

    awaitOutcomes(1);
    assertThat(outcomes).containsExactly("team/web bound");
    assertThat(bindings).hasSize(4);
    assertThat(toReads).isEmpty();
  }

  @Test
  void aNamespaceWhoseBindingsHang_delaysNoOther() {
    binder.bind(placed("zero", Map.of()));
    awaitOutcomes(1);
    for (int i = 0; i < 100; i++) {
      binder.bind(placedIn("hanging", "slow-" + i, Map.of()));
    }
    assertThat(binder.hasRoom()).as("more hanging Bindings than slots").isFalse();
    binder.bind(placed("first", Map.of()));

    awaitOutcomes(2);
    assertThat(outcomes).containsExactly("team/zero bound", "team/first bound");
    await().untilAtomic(roomAgain, greaterThanOrEqualTo(1));
    assertThat(binder.hasRoom()).isTrue();
    int before = binder.inFlightLimit();
    for (int i = 0; i < 200; i++) {
      binder.bind(placed("web-" + i, Map.of()));
    }
    awaitOutcomes(202);
    assertThat(outcomes).allSatisfy(outcome -> assertThat(outcome).endsWith(" bound"));
    assertThat(binder.inFlightLimit()).isGreaterThanOrEqualTo(before);
  }

  @Test
  void ofASlowNamespace_aLimitedNumberOfBindingsWaits_andTheOthersFailWithTheReason() {
    binder.bind(placed("zero", Map.of()));
    awaitOutcomes(1);
    for (int i = 0; i < 161; i++) {
      binder.bind(placedIn("hanging", "slow-" + i, Map.of()));
    }
    binder.bind(placed("first", Map.of()));
    awaitOutcomes(2);

    binder.bind(placedIn("hanging", "one-more", Map.of()));

    awaitOutcomes(3);
    assertThat(outcomes.getLast())
        .startsWith(
            "hanging/one-more failed, retry true: Bindings in namespace hanging are answered slowly"
                + " or fail in admission, and 128 of them are waiting");
  }

  @Test
  void aNamespaceWhoseBindingsAreRefusedAtOnce_takesNoRoomOfOthers() {
    binder.bind(placed("zero", Map.of()));
    awaitOutcomes(1);
    binder.bind(placedIn("refused", "first", Map.of()));
    awaitOutcomes(2);

    for (int i = 0; i < 1_000; i++) {
      binder.bind(placedIn("refused", "pod-" + i, Map.of()));
      assertThat(binder.hasRoom()).isTrue();
    }
    assertThat(binder.isBinding()).as("for those who yield to Bindings").isFalse();

    awaitOutcomes(1_002);
    assertThat(binder.pending()).isZero();
  }

  @Test
  void aServerThatRenewsTheLeaseQuickly_isWell_whateverBindingsTake() {
    for (int i = 0; i < 200; i++) {
      binder.bind(placedIn("hanging", "slow-" + i, Map.of()));
    }
    assertThat(binder.hasRoom()).isFalse();

    binder.serverAnswered(Duration.ofMillis(10));

    await().atMost(Duration.ofSeconds(20)).until(binder::hasRoom);
  }

  @Test
  void aCallThatPauses_holdsNoSlot() {
    for (int i = 0; i < 32; i++) {
      toBindings.add(new Reply(429, "{}", 30));
    }
    for (int i = 0; i < 32; i++) {
      binder.bind(placed("throttled-" + i, Map.of()));
    }
    await().until(() -> bindings.size() == 32);

    binder.bind(placed("web", Map.of()));

    awaitOutcomes(1);
    assertThat(outcomes).containsExactly("team/web bound");
    assertThat(binder.pending()).isEqualTo(32);
  }

  @Test
  void bindingOfAPodThatIsGone_failsForGood() {
    toBindings.add(new Reply(404, "{\"message\":\"pods \\\"web\\\" not found\"}"));

    binder.bind(placed("web", Map.of()));

    awaitOutcomes(1);
    assertThat(outcomes).containsExactly("team/web failed, retry false: pods \"web\" not found");
  }

  @Test
  void bindingToANodeThatIsDeleted_isNotRepeated() {
    toBindings.add(new Reply(429, "{}", 1));
    binder.bind(placed("web", Map.of()));
    await().until(() -> bindings.size() == 1);

    deletedNodes.add("node-1");

    awaitOutcomes(1);
    assertThat(outcomes).containsExactly("team/web failed, retry true: node node-1 was deleted");
    assertThat(bindings).as("requests").hasSize(1);
    assertThat(binder.pending()).isZero();
  }

  @Test
  void bindingThatMayHaveBeenExecuted_isReadAlthoughItsNodeIsDeleted() {
    toBindings.add(new Reply(503, "{}", 1));
    toReads.add(new Reply(200, pod("uid-web", "node-1")));
    binder.bind(placed("web", Map.of()));
    await().until(() -> bindings.size() == 1);

    deletedNodes.add("node-1");

    awaitOutcomes(1);
    assertThat(outcomes).containsExactly("team/web bound");
  }

  @Test
  void thousandsOfBindingsToADeletedNode_endWithoutARequest() {
    deletedNodes.add("node-1");

    IntStream.range(0, 5_000).forEach(i -> binder.bind(placed("web-" + i, Map.of())));

    awaitOutcomes(5_000);
    assertThat(bindings).isEmpty();
    assertThat(binder.pending()).isZero();
  }

  @Test
  void podThatAnotherWouldBindToADeletedNode_isNotHandedOver() {
    List<Placed> handedOver = new CopyOnWriteArrayList<>();
    binder = binder(VolumePreparation.none(), (placed, then) -> handedOver.add(placed));
    deletedNodes.add("node-1");

    binder.bind(forOthers("web"));

    awaitOutcomes(1);
    assertThat(outcomes).containsExactly("team/web failed, retry true: node node-1 was deleted");
    assertThat(handedOver).isEmpty();
  }

  @Test
  void everyPlacement_hasOneOutcome_whateverTheServerSays() {
    int[] codes = {201, 429, 500, 409, 403, 404, 503, 201};
    IntStream.range(0, 64).forEach(i -> toBindings.add(new Reply(codes[i % codes.length], "{}")));
    IntStream.range(0, 40).forEach(i -> toReads.add(new Reply(200, pod("uid-other", ""))));

    IntStream.range(0, 200).forEach(i -> binder.bind(placed("pod-" + i, Map.of())));

    awaitOutcomes(200);
    await().until(() -> binder.pending() == 0);
    assertThat(outcomes.stream().map(text -> text.split(" ", 2)[0]).distinct()).hasSize(200);
  }

  private static String pod(String uid, String node) {
    return "{\"metadata\":{\"uid\":\"%s\"},\"spec\":{\"nodeName\":\"%s\"}}".formatted(uid, node);
  }

  @Test
  void placementWhoseVolumesAreBeingPrepared_canBeGivenUp_andIsNotBoundThen() {
    List<Runnable> ready = new ArrayList<>();
    List<BooleanSupplier> wanted = new ArrayList<>();
    binder =
        binder(
            (placed, stillWanted, prepared, failed) -> {
              wanted.add(stillWanted);
              ready.add(prepared);
            },
            OtherBinder.none());
    Placed placed = withVolume("web");
    binder.bind(placed);
    assertThat(wanted.getFirst().getAsBoolean()).isTrue();

    assertThat(binder.cancelPreparation(placed.pod(), "preempted by pod urgent")).isTrue();
    ready.getFirst().run();

    assertThat(wanted.getFirst().getAsBoolean()).isFalse();
    assertThat(outcomes).containsExactly("team/web failed, retry true: preempted by pod urgent");
    assertThat(bindings).isEmpty();
    assertThat(binder.cancelPreparation(placed.pod(), "again")).isFalse();
  }

  @Test
  void placementWhoseVolumesAreReady_isNotGivenUp() {
    binder = binder((placed, wanted, prepared, failed) -> prepared.run(), OtherBinder.none());
    Placed placed = withVolume("web");
    binder.bind(placed);

    assertThat(binder.cancelPreparation(placed.pod(), "preempted")).isFalse();
    awaitOutcomes(1);
    assertThat(outcomes).containsExactly("team/web bound");
  }

  @Test
  void endOfThePreparation_isReportedBeforeTheBindingIsSent_forPodsThatHaveOne() {
    binder = binder((placed, wanted, ready, failed) -> ready.run(), OtherBinder.none());

    binder.bind(placed("plain", Map.of()));
    awaitOutcomes(1);
    assertThat(prepared).isEmpty();
    binder.bind(withVolume("stateful"));
    awaitOutcomes(2);

    assertThat(prepared).containsExactly("team/stateful with 1 Bindings sent");
  }

  @Test
  void podThatAnotherBinds_isBoundWhenItSaysSo_withoutARequest() {
    binder = boundByOthers(new OtherBinder.Bound());

    binder.bind(forOthers("web"));

    awaitOutcomes(1);
    assertThat(outcomes).containsExactly("team/web bound");
    assertThat(bindings).isEmpty();
    assertThat(binder.pending()).isZero();
  }

  @Test
  void podThatAnotherNeedNotBind_isBoundByBerth() {
    binder = boundByOthers(new OtherBinder.PassedOver());

    binder.bind(forOthers("web"));

    awaitOutcomes(1);
    assertThat(bindings).hasSize(1);
  }

  @Test
  void podThatAnotherFailedToBind_isReadAndTriedAgain() {
    binder = boundByOthers(new OtherBinder.Failed("extender did not answer"));
    toReads.add(new Reply(200, pod("uid-web", "")));

    binder.bind(forOthers("web"));

    awaitOutcomes(1);
    assertThat(outcomes).containsExactly("team/web failed, retry true: extender did not answer");
    assertThat(bindings).isEmpty();
  }

  @Test
  void podThatAnotherBoundBeforeItsAnswerWasLost_isBound() {
    binder = boundByOthers(new OtherBinder.Failed("extender did not answer"));
    toReads.add(new Reply(200, pod("uid-web", "node-1")));

    binder.bind(forOthers("web"));

    awaitOutcomes(1);
    assertThat(outcomes).containsExactly("team/web bound");
  }

  @Test
  void othersThatHang_holdUpNobodyElse() {
    List<Placed> hanging = new CopyOnWriteArrayList<>();
    binder = binder(VolumePreparation.none(), (placed, then) -> hanging.add(placed));
    for (int i = 0; i < 500; i++) {
      binder.bind(forOthers("slow-" + i));
    }

    binder.bind(placed("web", Map.of()));

    awaitOutcomes(1);
    assertThat(outcomes).containsExactly("team/web bound");
    assertThat(binder.hasRoom()).isTrue();
    assertThat(hanging).as("at a time").hasSize(64);
  }

  private Binder boundByOthers(OtherBinder.Result result) {
    return binder(VolumePreparation.none(), (placed, then) -> then.accept(result));
  }

  private static Placed forOthers(String pod) {
    Placed plain = placed(pod, Map.of());
    Extenders extenders =
        new Extenders(
            List.of(
                new Extender(
                    "http://binder",
                    new Extender.Verbs(
                        Optional.empty(), Optional.empty(), Optional.empty(), Optional.of("bind")),
                    1,
                    Duration.ofSeconds(5),
                    true,
                    Set.of(),
                    false,
                    Optional.empty())));
    return new Placed(
        plain.pod(),
        plain.attempt(),
        plain.nodeName(),
        List.of(),
        Map.of(),
        Map.of(),
        List.of(),
        Optional.of(extenders),
        plain.record());
  }

  private static Placed withVolume(String pod) {
    Placed plain = placed(pod, Map.of());
    return new Placed(
        plain.pod(),
        plain.attempt(),
        plain.nodeName(),
        List.of(),
        Map.of(),
        Map.of(),
        List.of(new VolumeStep.Provision("team", "data", "node-1", "1")),
        Optional.empty(),
        plain.record());
  }
}

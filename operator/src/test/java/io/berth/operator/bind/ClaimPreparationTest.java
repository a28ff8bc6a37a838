package io.berth.operator.bind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.model.PodRef;
import io.berth.engine.volume.VolumeStep;
import io.berth.operator.Placements;
import io.berth.operator.api.ScriptedServer;
import io.berth.operator.api.ScriptedServer.Reply;
import io.berth.operator.bind.ClaimPreparation.ClaimState;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Writes to a pod's claims and waits for them; the test acts as API server and watch. */
class ClaimPreparationTest {
  private static final ClaimState UNTOUCHED = new ClaimState(false, "");
  private static final ClaimState REPORTED = new ClaimState(false, "node-1");
  private static final ClaimState BOUND = new ClaimState(true, "node-1");

  private record Patch(String path, JsonNode body) {}

  private final Map<String, ClaimState> claims = new ConcurrentHashMap<>();
  private final List<Patch> patches = new CopyOnWriteArrayList<>();
  private final List<String> outcomes = new CopyOnWriteArrayList<>();
  private final ConcurrentLinkedQueue<Integer> answers = new ConcurrentLinkedQueue<>();
  private final Map<String, String> holders = new ConcurrentHashMap<>();
  private ScriptedServer server;
  private volatile boolean wanted = true;
  private ClaimPreparation preparation;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer(this::answer);
    preparation = new ClaimPreparation(server.api(), new Watched());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private final class Watched implements ClaimPreparation.Storage {
    @Override
    public Optional<ClaimState> claim(String namespace, String name) {
      return Optional.ofNullable(claims.get(name));
    }

    @Override
    public Optional<String> holder(String volumeName) {
      return Optional.ofNullable(holders.get(volumeName));
    }
  }

  private Reply answer(String path, JsonNode body) {
    patches.add(new Patch(path, body));
    Integer code = answers.poll();
    return new Reply(code == null ? 200 : code, "{\"message\": \"as told\"}");
  }

  @Test
  void preparationThatIsNoLongerWanted_writesNothingMore_andSaysNothing() {
    claims.put("first", UNTOUCHED);
    claims.put("second", BOUND);
    prepare(provision("first"));
    awaitPatches(1);

    wanted = false;
    claims.put("first", BOUND);
    prepare(provision("second"));

    await()
        .during(Duration.ofMillis(600))
        .atMost(Duration.ofSeconds(5))
        .until(() -> outcomes.isEmpty() && patches.size() == 1);
  }

  private void prepare(VolumeStep... steps) {
    preparation.prepare(
        Placements.placed(new PodRef("team", "pod", "uid-pod"), "node-1", steps),
        () -> wanted,
        () -> outcomes.add("ready"),
        reason -> outcomes.add("failed: " + reason));
  }

  private static VolumeStep provision(String claim) {
    return new VolumeStep.Provision("team", claim, "node-1", "7");
  }

  private void awaitOutcome() {
    await().atMost(Duration.ofSeconds(20)).until(() -> !outcomes.isEmpty());
  }

  private void awaitPatches(int count) {
    await().atMost(Duration.ofSeconds(20)).until(() -> patches.size() == count);
  }

  @Test
  void twoClaimsOfWhichTheWatchShowsOneLater_areBothAwaited() {
    claims.put("first", REPORTED);
    claims.put("second", UNTOUCHED);

    prepare(provision("first"), provision("second"));
    awaitPatches(2);
    await()
        .during(Duration.ofMillis(600))
        .atMost(Duration.ofSeconds(5))
        .until(() -> outcomes.isEmpty());
    claims.put("first", BOUND);
    claims.put("second", BOUND);
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
    assertThat(patches)
        .extracting(patch -> patch.body().at("/metadata/annotations").toString())
        .containsOnly("{\"volume.kubernetes.io/selected-node\":\"node-1\"}");
  }

  @Test
  void provisionerThatTakesTheNodeOffAgain_endsIt() {
    claims.put("data", REPORTED);

    prepare(provision("data"));
    awaitPatches(1);
    await()
        .during(Duration.ofMillis(600))
        .atMost(Duration.ofSeconds(5))
        .until(() -> outcomes.isEmpty());
    claims.put("data", UNTOUCHED);
    awaitOutcome();

    assertThat(outcomes)
        .containsExactly(
            "failed: no volume could be provisioned for PersistentVolumeClaim data on node-1");
  }

  @Test
  void volume_isGivenToTheClaimOnlyAsItWasSeen() {
    claims.put("data", BOUND);

    prepare(new VolumeStep.Bind("team", "data", "uid-data", "disk", "41"));
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
    assertThat(patches.getFirst().path()).isEqualTo("/api/v1/persistentvolumes/disk");
    JsonNode body = patches.getFirst().body();
    assertThat(body.at("/metadata/resourceVersion").asText()).isEqualTo("41");
    assertThat(body.at("/spec/claimRef/uid").asText()).isEqualTo("uid-data");
  }

  @Test
  void claim_getsItsNodeOnlyInTheVersionThatWasSeen() {
    claims.put("data", BOUND);

    prepare(provision("data"));
    awaitOutcome();

    assertThat(patches.getFirst().body().at("/metadata/resourceVersion").asText()).isEqualTo("7");
  }

  @Test
  void volumeThatChangedMeanwhile_isLeftAlone() {
    claims.put("data", UNTOUCHED);
    answers.add(409);

    prepare(new VolumeStep.Bind("team", "data", "uid-data", "disk", "41"));
    awaitOutcome();

    assertThat(outcomes).containsExactly("failed: as told");
  }

  @Test
  void volumeThatIsGone_endsIt() {
    claims.put("data", UNTOUCHED);
    answers.add(404);

    prepare(new VolumeStep.Bind("team", "data", "uid-data", "disk", "41"));
    awaitOutcome();

    assertThat(outcomes).containsExactly("failed: as told");
  }

  @Test
  void throttledAndLostWrites_areSentAgain_toClaimsToo() {
    claims.put("data", BOUND);
    answers.addAll(List.of(429, 503));

    prepare(provision("data"));
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
    assertThat(patches).hasSize(3);
  }

  @Test
  void volumeWhoseFirstWriteWasTaken_butNotAnswered_isOurs() {
    claims.put("data", BOUND);
    answers.addAll(List.of(500, 409));
    holders.put("disk", "uid-data");

    prepare(new VolumeStep.Bind("team", "data", "uid-data", "disk", "41"));
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
  }

  @Test
  void claimWhoseNodeWasTaken_butNotAnswered_hasItsNode() {
    claims.put("data", BOUND);
    answers.addAll(List.of(500, 409));

    prepare(provision("data"));
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
  }

  @Test
  void claimThatAnotherHasTakenAfterALostAnswer_endsIt() {
    claims.put("data", new ClaimState(false, "node-2"));
    answers.addAll(List.of(500, 409));

    prepare(provision("data"));
    awaitOutcome();

    assertThat(outcomes).containsExactly("failed: as told");
  }

  @Test
  void volumeThatAnotherClaimHasTaken_isLeftToIt() {
    claims.put("data", UNTOUCHED);
    answers.addAll(List.of(500, 409));
    holders.put("disk", "uid-other");

    prepare(new VolumeStep.Bind("team", "data", "uid-data", "disk", "41"));
    awaitOutcome();

    assertThat(outcomes).containsExactly("failed: as told");
    assertThat(patches).hasSize(2);
  }
}

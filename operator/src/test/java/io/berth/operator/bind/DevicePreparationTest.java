package io.berth.operator.bind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.Decision.Placed;
import io.berth.engine.devices.ClaimAllocation;
import io.berth.engine.devices.DeviceAllocation;
import io.berth.engine.devices.DeviceAsk;
import io.berth.engine.devices.DeviceId;
import io.berth.engine.devices.DeviceRequest;
import io.berth.engine.model.PodRef;
import io.berth.operator.Placements;
import io.berth.operator.api.ScriptedServer;
import io.berth.operator.api.ScriptedServer.Reply;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Writes to a pod's claims for devices; the test acts as API server, with conflicts of versions.
 */
class DevicePreparationTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CLAIMS = "/apis/resource.k8s.io/v1/namespaces/team/resourceclaims";
  private static final String POD = "/api/v1/namespaces/team/pods/pod";
  private static final PodRef REF = new PodRef("team", "pod", "uid-pod");
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final Map<String, ObjectNode> objects = new ConcurrentHashMap<>();

  /**
   * The versions of claims that the engine knows, by name, where these are not the current ones.
   */
  private final Map<String, String> known = new ConcurrentHashMap<>();

  /** The claims of another scheduler, by the name of the claim with the same device. */
  private final Map<String, String> conflicts = new ConcurrentHashMap<>();

  private volatile boolean watchIsLate;

  /** The claims that the watch has shown, by name. */
  private final Map<String, JsonNode> shown = new ConcurrentHashMap<>();

  private final AtomicInteger reads = new AtomicInteger();

  private final List<String> writes = new CopyOnWriteArrayList<>();
  private final List<String> outcomes = new CopyOnWriteArrayList<>();
  private ScriptedServer server;
  private volatile boolean loseNextStatus;

  /** True while writes of claims' status are neither executed nor answered, as by a slow server. */
  private volatile boolean statusIsSlow;

  private ClaimDeallocations deallocations;
  private DevicePreparation preparation;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer(this::answer);
    deallocations = new ClaimDeallocations(server.api());
    preparation =
        new DevicePreparation(
            server.api(), VolumePreparation.none(), new Known(), deallocations, () -> NOW);
  }

  private final class Known implements KnownClaims {
    @Override
    public Optional<JsonNode> find(String namespace, String name) {
      return Optional.ofNullable(shown.get(name));
    }

    @Override
    public Optional<String> versionOf(String namespace, String name) {
      return Optional.ofNullable(known.get(name))
          .or(() -> watchIsLate ? Optional.empty() : currentVersion(name));
    }

    private Optional<String> currentVersion(String name) {
      return Optional.ofNullable(claim(name))
          .map(claim -> claim.at("/metadata/resourceVersion").asText());
    }

    @Override
    public Optional<String> conflictOf(String namespace, String name) {
      return Optional.ofNullable(conflicts.get(name));
    }
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static ObjectNode json(String text) {
    try {
      return (ObjectNode) JSON.readTree(text.replace('\'', '"'));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  private void put(String path, String text) {
    objects.put(path, json(text));
  }

  private void claim(String name, String more) {
    put(
        CLAIMS + "/" + name,
        "{'metadata':{'name':'%s','namespace':'team','uid':'uid-%s','resourceVersion':'1'}%s}"
            .formatted(name, name, more));
  }

  private ObjectNode claim(String name) {
    return objects.get(CLAIMS + "/" + name);
  }

  /** Serves the objects: reads, creations, deletions, and merge patches with a precondition. */
  private synchronized Reply answer(String path, JsonNode body) {
    String object = path.replaceAll("/status$", "");
    if (body.has("kind") && body.path("kind").asText().equals("ResourceClaim")) {
      String name = path + "/" + body.path("metadata").path("name").asText();
      writes.add("create " + name);
      if (objects.containsKey(name)) {
        return new Reply(409, "{\"message\":\"exists\"}");
      }
      ObjectNode created = body.deepCopy();
      ((ObjectNode) created.get("metadata")).put("uid", "uid-new").put("resourceVersion", "1");
      objects.put(name, created);
      return new Reply(201, created.toString());
    }
    ObjectNode known = objects.get(object);
    if (known == null) {
      return new Reply(404, "{\"message\":\"not found\"}");
    }
    if (body.has("preconditions")) {
      writes.add("delete " + object);
      objects.remove(object);
      return new Reply(200, "{}");
    }
    if (body.isMissingNode() || body.isEmpty()) {
      reads.incrementAndGet();
      return new Reply(200, known.toString());
    }
    JsonNode wanted = body.path("metadata").path("resourceVersion");
    JsonNode version = known.path("metadata").path("resourceVersion");
    if (!wanted.isMissingNode() && !wanted.equals(version)) {
      writes.add("conflict " + path);
      return new Reply(409, "{\"message\":\"conflict\"}");
    }
    if (statusIsSlow && path.endsWith("/status")) {
      writes.add("slow " + path);
      return new Reply(504, "{\"message\":\"slow\"}");
    }
    writes.add("patch " + path);
    merge(known, body);
    ((ObjectNode) known.get("metadata")).put("resourceVersion", version.asInt() + 1 + "");
    if (loseNextStatus && path.endsWith("/status")) {
      loseNextStatus = false;
      return new Reply(500, "{\"message\":\"lost\"}");
    }
    return new Reply(200, known.toString());
  }

  private static void merge(ObjectNode into, JsonNode patch) {
    patch
        .properties()
        .forEach(
            member -> {
              if (member.getValue().isObject()
                  && into.path(member.getKey()) instanceof ObjectNode before) {
                merge(before, member.getValue());
              } else {
                into.set(member.getKey(), member.getValue());
              }
            });
  }

  private static DeviceAllocation allocation(String... bindingConditions) {
    return new DeviceAllocation(
        List.of(
            new DeviceAllocation.Result(
                "gpu",
                new DeviceId("gpu.example.com", "n1", "gpu-0"),
                false,
                List.of(),
                Optional.empty(),
                Map.of(),
                List.of(bindingConditions),
                bindingConditions.length == 0 ? List.of() : List.of("Broken"))),
        List.of(),
        Optional.empty());
  }

  private static ClaimAllocation allocates(String claim, DeviceAllocation allocation) {
    return new ClaimAllocation(
        "team", claim, "uid-" + claim, Optional.of(allocation), Optional.empty());
  }

  private static Placed placed(ClaimAllocation... steps) {
    return Placements.placed(REF, "n1", steps);
  }

  private void prepare(ClaimAllocation... steps) {
    prepare(() -> true, steps);
  }

  private void prepare(BooleanSupplier wanted, ClaimAllocation... steps) {
    preparation.prepare(
        placed(steps),
        wanted,
        () -> outcomes.add("ready"),
        reason -> outcomes.add("failed: " + reason));
  }

  private void awaitOutcome() {
    await().atMost(Duration.ofSeconds(20)).until(() -> !outcomes.isEmpty());
  }

  @Test
  void aClaim_getsTheFinalizer_thenItsDevicesAndThePodAtOnce() {
    claim("data", "");

    prepare(allocates("data", allocation()));
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
    assertThat(writes)
        .containsExactly("patch " + CLAIMS + "/data", "patch " + CLAIMS + "/data/status");
    assertThat(claim("data").at("/metadata/finalizers/0").asText())
        .isEqualTo("resource.kubernetes.io/delete-protection");
    assertThat(claim("data").at("/status/allocation/devices/results/0/device").asText())
        .isEqualTo("gpu-0");
    assertThat(claim("data").at("/status/allocation/allocationTimestamp").asText())
        .isEqualTo("2026-01-01T00:00:00Z");
    assertThat(claim("data").at("/status/reservedFor/0"))
        .isEqualTo(json("{'resource':'pods','name':'pod','uid':'uid-pod'}"));
  }

  @Test
  void aClaimThatTheWatchHasShown_isWrittenWithoutReadingIt() {
    claim("data", "");
    shown.put("data", claim("data").deepCopy());

    prepare(allocates("data", allocation()));
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
    assertThat(writes)
        .containsExactly("patch " + CLAIMS + "/data", "patch " + CLAIMS + "/data/status");
    assertThat(reads).hasValue(0);
  }

  @Test
  void aClaimThatHasChangedSinceTheWatchShowedIt_isReadAndWritten() {
    claim("data", "");
    shown.put("data", claim("data").deepCopy());
    ((ObjectNode) claim("data").get("metadata"))
        .put("resourceVersion", "7")
        .putArray("finalizers")
        .add("example.com/other");

    prepare(allocates("data", allocation()));
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
    assertThat(writes)
        .containsExactly(
            "conflict " + CLAIMS + "/data",
            "patch " + CLAIMS + "/data",
            "patch " + CLAIMS + "/data/status");
    assertThat(claim("data").at("/metadata/finalizers/0").asText()).isEqualTo("example.com/other");
    assertThat(reads).hasValue(1);
  }

  @Test
  void aClaimThatTheWatchShowsAsComplete_isReadBeforeThePodIsBound() {
    claim("data", "");
    prepare(allocates("data", allocation()));
    awaitOutcome();
    shown.put("data", claim("data").deepCopy());
    claim("data", "");
    outcomes.clear();
    writes.clear();

    prepare(allocates("data", allocation()));
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
    assertThat(writes)
        .containsExactly("patch " + CLAIMS + "/data", "patch " + CLAIMS + "/data/status");
  }

  @Test
  void aClaimThatOthersUse_isReservedForThePodToo() {
    claim(
        "shared",
        ",'status':{'allocation':{},'reservedFor':[{'resource':'pods','name':'o','uid':'other'}]}");

    prepare(
        new ClaimAllocation("team", "shared", "uid-shared", Optional.empty(), Optional.empty()));
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
    assertThat(claim("shared").at("/status/reservedFor").findValuesAsText("uid"))
        .containsExactly("other", "uid-pod");
  }

  @Test
  void aWriteWhoseAnswerIsLost_isFoundByAFreshLook_andNotRepeated() {
    claim("data", "");
    loseNextStatus = true;

    prepare(allocates("data", allocation()));
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
    assertThat(writes)
        .containsExactly(
            "patch " + CLAIMS + "/data",
            "patch " + CLAIMS + "/data/status",
            "conflict " + CLAIMS + "/data/status");
    assertThat(claim("data").at("/status/reservedFor")).hasSize(1);
  }

  @Test
  void aClaimThatChangedMeanwhile_isNotWritten() {
    claim("taken", ",'status':{'allocation':{}}");
    prepare(allocates("taken", allocation()));
    awaitOutcome();
    assertThat(outcomes)
        .containsExactly("failed: claim team/taken got allocated elsewhere in the meantime");

    outcomes.clear();
    claim("free", "");
    prepare(new ClaimAllocation("team", "free", "uid-free", Optional.empty(), Optional.empty()));
    awaitOutcome();
    assertThat(outcomes)
        .containsExactly("failed: claim team/free got deallocated elsewhere in the meantime");

    outcomes.clear();
    claim("new", "");
    prepare(
        new ClaimAllocation("team", "new", "uid-old", Optional.of(allocation()), Optional.empty()));
    awaitOutcome();
    assertThat(outcomes).containsExactly("failed: claim team/new got deleted in the meantime");
    assertThat(writes).isEmpty();
  }

  @Test
  void aClaimWithTheDevicesOfAnEarlierAttempt_isNotTakenForTheOneThatWasPlanned() {
    claim(
        "data",
        ",'status':{'allocation':{'devices':{'results':[{'request':'gpu','driver':'gpu.example.com',"
            + "'pool':'n2','device':'gpu-0'}]}},'reservedFor':[{'resource':'pods','uid':'uid-pod'}]}");

    prepare(allocates("data", allocation()));
    awaitOutcome();

    assertThat(outcomes)
        .containsExactly("failed: claim team/data got allocated elsewhere in the meantime");
  }

  @Test
  void aClaimWhoseDevicesAnotherMemberOfTheGroupHasWritten_isReservedForThePodToo() {
    claim(
        "data",
        ",'status':{'allocation':{'devices':{'results':[{'request':'gpu','driver':'gpu.example.com',"
            + "'pool':'n1','device':'gpu-0'}]},'allocationTimestamp':'2025-01-01T00:00:00Z'},"
            + "'reservedFor':[{'resource':'pods','name':'o','uid':'other'}]}");

    prepare(allocates("data", allocation()));
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
    assertThat(claim("data").at("/status/reservedFor").findValuesAsText("uid"))
        .containsExactly("other", "uid-pod");
    assertThat(claim("data").at("/status/allocation/allocationTimestamp").asText())
        .as("an allocation is never changed")
        .isEqualTo("2025-01-01T00:00:00Z");
  }

  private static ClaimAllocation forExtendedResources() {
    DeviceAsk ask =
        new DeviceAsk(
            "container-1-request-0",
            "gpu",
            DeviceAsk.EXACT_COUNT,
            1,
            false,
            List.of(),
            List.of(),
            Map.of());
    return new ClaimAllocation(
        "team",
        "",
        "",
        Optional.of(allocation()),
        Optional.of(
            new ClaimAllocation.ExtendedClaim(
                List.of(new DeviceRequest(ask.name(), false, List.of(ask))),
                List.of(new ClaimAllocation.Mapping(1, "example.com/gpu", ask.name())))));
  }

  private void podWithTwoContainers() {
    put(
        POD,
        "{'metadata':{'name':'pod','uid':'uid-pod','resourceVersion':'5'},"
            + "'spec':{'containers':[{'name':'side'},{'name':'main'}]}}");
  }

  @Test
  void extendedResources_getAClaim_whichThePodsStatusNames() {
    podWithTwoContainers();

    prepare(forExtendedResources());
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
    String name = ExtendedClaims.nameFor(REF);
    assertThat(claim(name).at("/metadata/ownerReferences/0/uid").asText()).isEqualTo("uid-pod");
    assertThat(claim(name).at("/spec/devices/requests/0/exactly/deviceClassName").asText())
        .isEqualTo("gpu");
    assertThat(claim(name).at("/status/reservedFor/0/uid").asText()).isEqualTo("uid-pod");
    assertThat(objects.get(POD).at("/status/extendedResourceClaimStatus"))
        .isEqualTo(
            json(
                ("{'resourceClaimName':'%s','requestMappings':[{'containerName':'main',"
                     + "'resourceName':'example.com/gpu','requestName':'container-1-request-0'}]}")
                    .formatted(name)));
  }

  @Test
  void theClaimForExtendedResources_isWrittenBeforeTheOthers() {
    podWithTwoContainers();
    claim("data", "");

    prepare(allocates("data", allocation()), forExtendedResources());
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
    String extended = CLAIMS + "/" + ExtendedClaims.nameFor(REF);
    assertThat(writes)
        .containsExactly(
            "create " + extended,
            "patch " + extended,
            "patch " + extended + "/status",
            "patch " + POD + "/status",
            "patch " + CLAIMS + "/data",
            "patch " + CLAIMS + "/data/status");
  }

  @Test
  void aClaimForExtendedResourcesThatAnEarlierAttemptLeft_isDeleted() {
    podWithTwoContainers();
    String name = ExtendedClaims.nameFor(REF);
    put(
        CLAIMS + "/" + name,
        ("{'metadata':{'name':'%s','uid':'uid-old','resourceVersion':'3',"
                + "'finalizers':['resource.kubernetes.io/delete-protection'],"
                + "'annotations':{'resource.kubernetes.io/extended-resource-claim':'true'},"
                + "'ownerReferences':[{'uid':'uid-pod'}]},'status':{'allocation':{}}}")
            .formatted(name));

    prepare(forExtendedResources());
    awaitOutcome();

    assertThat(outcomes)
        .containsExactly(
            "failed: an earlier attempt left ResourceClaim %s, which is being deleted"
                .formatted(name));
    assertThat(objects).doesNotContainKey(CLAIMS + "/" + name);
  }

  @Test
  void devicesThatHaveToBePrepared_areAwaited() {
    claim("data", "");

    prepare(allocates("data", allocation("Attached")));
    await().atMost(Duration.ofSeconds(20)).until(() -> claim("data").has("status"));
    assertThat(outcomes).isEmpty();
    condition("Attached");
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
  }

  @Test
  void aClaimThatLosesItsDevicesMeanwhile_endsIt() {
    claim("data", "");

    prepare(allocates("data", allocation("Attached")));
    await().atMost(Duration.ofSeconds(20)).until(() -> claim("data").has("status"));
    synchronized (this) {
      claim("data").remove("status");
    }
    awaitOutcome();

    assertThat(outcomes)
        .containsExactly(
            "failed: ResourceClaim data lost its devices while they were being prepared");
  }

  private void settle() {
    preparation.settle(placed(), () -> outcomes.add("settled"));
  }

  @Test
  void devicesOfAFailedBinding_areGivenBack_whenTheEngineKnowsThatTheClaimHasThem() {
    claim("data", "");
    prepare(allocates("data", allocation()));
    awaitOutcome();
    known.put("data", "2");

    settle();
    await().during(Duration.ofMillis(600)).until(() -> !outcomes.contains("settled"));
    known.put("data", "3");

    await().atMost(Duration.ofSeconds(20)).until(() -> outcomes.contains("settled"));
  }

  @Test
  void devicesOfAFailedBinding_areGivenBack_whenItsClaimIsDeleted() {
    claim("data", "");
    prepare(allocates("data", allocation()));
    awaitOutcome();

    watchIsLate = true;
    settle();
    await().during(Duration.ofMillis(600)).until(() -> !outcomes.contains("settled"));
    synchronized (this) {
      objects.remove(CLAIMS + "/data");
    }

    await().atMost(Duration.ofSeconds(20)).until(() -> outcomes.contains("settled"));
  }

  @Test
  void devicesOfAPlacementThatWroteNothing_areGivenBackAtOnce() {
    claim("taken", ",'status':{'allocation':{}}");
    prepare(allocates("taken", allocation()));
    awaitOutcome();

    settle();

    assertThat(outcomes).contains("settled");
  }

  @Test
  void devicesOfACancelledPlacement_areGivenBack_whenTheLostAnswerIsKnown() {
    claim("data", "");
    loseNextStatus = true;
    watchIsLate = true;
    prepare(() -> writes.size() < 2, allocates("data", allocation()));
    await().atMost(Duration.ofSeconds(20)).until(() -> writes.size() >= 2);

    settle();
    await().atMost(Duration.ofSeconds(20)).until(() -> writes.size() >= 3);
    await().during(Duration.ofMillis(600)).until(() -> !outcomes.contains("settled"));
    known.put("data", "3");

    await().atMost(Duration.ofSeconds(20)).until(() -> outcomes.contains("settled"));
    assertThat(outcomes).containsExactly("settled");
  }

  @Test
  void aPodIsBound_whenTheWatchShowsItsDevices() {
    claim("data", "");
    watchIsLate = true;
    prepare(allocates("data", allocation()));
    await().atMost(Duration.ofSeconds(20)).until(() -> claim("data").has("status"));
    await().during(Duration.ofMillis(600)).until(outcomes::isEmpty);

    known.put("data", "3");
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
  }

  @Test
  void aDeviceThatAnotherSchedulerGaveAwayAtTheSameMoment_isTakenFromTheClaim() {
    claim("data", "");
    conflicts.put("data", "ResourceClaim team/other has device gpu-0");

    prepare(allocates("data", allocation()));
    awaitOutcome();

    assertThat(outcomes)
        .containsExactly(
            "failed: another scheduler gave away devices of ResourceClaim team/data at the same"
                + " moment: ResourceClaim team/other has device gpu-0");
    assertThat(claim("data").at("/status/allocation").isNull()).isTrue();
    assertThat(claim("data").at("/status/reservedFor").isNull()).isTrue();
  }

  private static ClaimAllocation reserves(String claim) {
    return new ClaimAllocation("team", claim, "uid-" + claim, Optional.empty(), Optional.empty());
  }

  private static String reservedFor(String... uids) {
    return ",'status':{'allocation':{'devices':{}},'reservedFor':[%s]}"
        .formatted(
            Stream.of(uids)
                .map("{'resource':'pods','name':'a','uid':'%s'}"::formatted)
                .collect(Collectors.joining(",")));
  }

  private List<String> users(String claim) {
    return claim(claim).at("/status/reservedFor").findValuesAsText("uid");
  }

  @Test
  void aClaimThatOthersUse_losesThePod_andKeepsItsDevices_whenAnotherSchedulerGivesOneAway() {
    claim("shared", reservedFor("other"));
    conflicts.put("shared", "ResourceClaim team/other has device gpu-0");

    prepare(reserves("shared"));
    awaitOutcome();

    assertThat(outcomes).hasSize(1).first().asString().startsWith("failed: another scheduler");
    assertThat(claim("shared").at("/status/allocation").isObject()).isTrue();
    assertThat(users("shared")).containsExactly("other");
  }

  @Test
  void aClaimThatAnEarlierAttemptHasWritten_isLookedAt_andLosesItsDevices() {
    claim("data", reservedFor("uid-pod"));
    conflicts.put("data", "ResourceClaim team/other has device gpu-0");

    prepare(reserves("data"));
    awaitOutcome();

    assertThat(outcomes).hasSize(1).first().asString().startsWith("failed: another scheduler");
    assertThat(claim("data").at("/status/allocation").isNull()).isTrue();
  }

  @Test
  void aClaimThatHasChangedSinceItWasWritten_losesThePod_afterAFreshLook() {
    claim("data", "");
    watchIsLate = true;
    prepare(allocates("data", allocation()));
    await().atMost(Duration.ofSeconds(20)).until(() -> claim("data").has("status"));
    synchronized (this) {
      merge(
          claim("data"),
          json(
              "{'metadata':{'resourceVersion':'7'},'status':{'reservedFor':["
                  + "{'resource':'pods','name':'pod','uid':'uid-pod'},"
                  + "{'resource':'pods','name':'o','uid':'other'}]}}"));
    }
    conflicts.put("data", "ResourceClaim team/other has device gpu-0");
    known.put("data", "7");
    awaitOutcome();

    assertThat(writes).contains("conflict " + CLAIMS + "/data/status");
    assertThat(claim("data").at("/status/allocation").isObject()).isTrue();
    assertThat(users("data")).containsExactly("other");
  }

  @Test
  void aDeallocationWhoseAnswerIsLost_isRepeated_beforeThePodIsScheduledAgain() {
    claim("data", reservedFor("uid-pod"));
    conflicts.put("data", "ResourceClaim team/other has device gpu-0");
    loseNextStatus = true;

    prepare(reserves("data"));
    awaitOutcome();

    assertThat(writes)
        .containsExactly("patch " + CLAIMS + "/data/status", "conflict " + CLAIMS + "/data/status");
    assertThat(outcomes).hasSize(1).first().asString().startsWith("failed: another scheduler");
  }

  @Test
  void aClaimWhoseDeallocationIsUnderWay_isNotUsed() {
    claim("data", reservedFor("uid-pod"));
    statusIsSlow = true;
    deallocations.send(
        REF,
        claim("data").deepCopy(),
        ClaimWrites.deallocation("uid-data", "1"),
        answer -> outcomes.add("deallocated"));
    await().atMost(Duration.ofSeconds(20)).until(() -> !writes.isEmpty());

    prepare(reserves("data"));
    await().during(Duration.ofMillis(600)).until(outcomes::isEmpty);
    statusIsSlow = false;
    await().atMost(Duration.ofSeconds(20)).until(() -> outcomes.size() == 2);

    assertThat(outcomes)
        .containsExactly(
            "deallocated", "failed: claim team/data got deallocated elsewhere in the meantime");
  }

  @Test
  void aClaimThatAsManyPodsUseAsItCanHave_isNotReserved() {
    claim(
        "shared",
        reservedFor(IntStream.range(0, 256).mapToObj("uid-%d"::formatted).toArray(String[]::new)));

    prepare(reserves("shared"));
    awaitOutcome();

    assertThat(outcomes)
        .containsExactly(
            "failed: claim team/shared is reserved for 256 pods, and cannot be for more: the pod"
                + " has to wait until one of them ends");
    assertThat(writes).isEmpty();
  }

  @Test
  void devicesThatTheWatchShowsAsNotPrepared_areAwaitedWithoutReadingTheClaim() {
    claim("data", "");
    shown.put("data", claim("data").deepCopy());
    prepare(allocates("data", allocation("Attached")));
    await().atMost(Duration.ofSeconds(20)).until(() -> claim("data").has("status"));
    shown.put("data", claim("data").deepCopy());
    await().during(Duration.ofMillis(2_500)).until(outcomes::isEmpty);
    assertThat(reads).hasValueLessThan(2);

    condition("Attached");
    shown.put("data", claim("data").deepCopy());
    awaitOutcome();

    assertThat(outcomes).containsExactly("ready");
  }

  @Test
  void aDeviceThatCannotBePrepared_endsIt() {
    claim("data", "");

    prepare(allocates("data", allocation("Attached")));
    await().atMost(Duration.ofSeconds(20)).until(() -> claim("data").has("status"));
    condition("Broken");
    awaitOutcome();

    assertThat(outcomes)
        .containsExactly(
            "failed: device gpu-0 of ResourceClaim data cannot be prepared: Why: because");
  }

  private synchronized void condition(String type) {
    merge(
        claim("data"),
        json(
            ("{'status':{'devices':[{'driver':'gpu.example.com','pool':'n1','device':'gpu-0',"
                 + "'conditions':[{'type':'%s','status':'True','reason':'Why','message':'because'}]}]}}")
                .formatted(type)));
  }
}

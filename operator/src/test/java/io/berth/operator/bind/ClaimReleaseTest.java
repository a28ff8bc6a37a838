package io.berth.operator.bind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.api.Attempt;
import io.berth.engine.api.Decision.Unschedulable;
import io.berth.engine.api.WaitCause;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.decision.RejectionCount;
import io.berth.engine.devices.DevicePlanner;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.ScriptedServer;
import io.fabric8.kubernetes.api.model.NodeSelectorBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimBuilder;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims that lose their devices after an attempt at their pod; the test acts as API server. */
class ClaimReleaseTest {
  private static final PodRef POD = new PodRef("team", "pod", "uid-pod");
  private static final String PATH = "/apis/resource.k8s.io/v1/namespaces/team/resourceclaims/";

  private record Request(String path, JsonNode body) {}

  private final List<ResourceClaim> claims = new CopyOnWriteArrayList<>();
  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private ScriptedServer server;
  private ClaimRelease release;

  @BeforeEach
  void start() throws IOException {
    server =
        new ScriptedServer(
            (path, body) -> {
              requests.add(new Request(path, body));
              return new ScriptedServer.Reply(200, "{}");
            });
    release = new ClaimRelease(server.api(), new ClaimDeallocations(server.api()), pod -> claims);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static ResourceClaim allocated(String name, String... users) {
    ResourceClaimBuilder claim =
        new ResourceClaimBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace("team")
            .withUid("uid-" + name)
            .withResourceVersion("7")
            .endMetadata()
            .withNewStatus()
            .withNewAllocation()
            .withNodeSelector(new NodeSelectorBuilder().build())
            .endAllocation()
            .endStatus();
    for (String user : users) {
      claim.editStatus().addNewReservedFor().withUid(user).endReservedFor().endStatus();
    }
    return claim.build();
  }

  private static Unschedulable because(String reason) {
    CycleRecord record =
        new CycleRecord.Rejected(
            "policy",
            "1",
            1,
            List.of(RejectionCount.by("DynamicResources", Verdict.unresolvable(reason), 1)),
            false,
            Map.of(),
            List.of(),
            "",
            List.of());
    return new Unschedulable(
        POD,
        new Attempt(1, Instant.EPOCH),
        WaitCause.NO_ROOM,
        record.message(),
        false,
        Optional.empty(),
        Optional.empty(),
        record);
  }

  private void awaitRequests(int count) {
    await().atMost(Duration.ofSeconds(20)).until(() -> requests.size() == count);
  }

  @Test
  void aClaimWhoseDevicesAreElsewhere_losesThem_ifNoOtherPodUsesIt() {
    claims.add(allocated("shared", "uid-other", "uid-pod"));
    claims.add(allocated("own", "uid-pod"));

    release.afterAttempt(because(DevicePlanner.NOT_AVAILABLE));
    awaitRequests(1);

    assertThat(requests.getFirst().path()).isEqualTo(PATH + "own/status");
    JsonNode body = requests.getFirst().body();
    assertThat(body.at("/metadata/resourceVersion").asText()).isEqualTo("7");
    assertThat(body.at("/status/allocation").isNull()).isTrue();
    assertThat(body.at("/status/reservedFor").isNull()).isTrue();
  }

  @Test
  void aClaimWhoseDevicesEveryNodeReaches_keepsThem() {
    ResourceClaim everywhere =
        new ResourceClaimBuilder(allocated("everywhere", "uid-pod"))
            .editStatus()
            .editAllocation()
            .withNodeSelector(null)
            .endAllocation()
            .endStatus()
            .build();
    claims.add(everywhere);
    claims.add(allocated("elsewhere", "uid-pod"));

    release.afterAttempt(because(DevicePlanner.NOT_AVAILABLE));
    awaitRequests(1);

    assertThat(requests.getFirst().path()).isEqualTo(PATH + "elsewhere/status");
  }

  @Test
  void aPodThatWaitsForSomethingElse_keepsItsDevices() {
    claims.add(allocated("own", "uid-pod"));

    release.afterAttempt(because("Insufficient cpu"));

    await().during(Duration.ofMillis(300)).until(requests::isEmpty);
  }

  @Test
  void aClaimForExtendedResourcesOfAnEarlierAttempt_isDeleted() {
    claims.add(
        new ResourceClaimBuilder(allocated("extended"))
            .editMetadata()
            .addToAnnotations("resource.kubernetes.io/extended-resource-claim", "true")
            .addNewOwnerReference()
            .withUid("uid-pod")
            .endOwnerReference()
            .addToFinalizers("resource.kubernetes.io/delete-protection")
            .endMetadata()
            .build());

    release.afterAttempt(because("cannot allocate all claims"));
    awaitRequests(2);

    assertThat(requests.getFirst().body().at("/metadata/finalizers")).isEmpty();
    assertThat(requests.get(1).body().at("/preconditions/uid").asText()).isEqualTo("uid-extended");
  }
}

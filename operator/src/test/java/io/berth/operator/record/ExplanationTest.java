package io.berth.operator.record;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.Attempt;
import io.berth.engine.api.Decision;
import io.berth.engine.api.GroupState;
import io.berth.engine.api.ShadowDecision;
import io.berth.engine.api.WaitCause;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.devices.ClaimAllocation;
import io.berth.engine.devices.DeviceAllocation;
import io.berth.engine.devices.DeviceId;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.PodRef;
import io.berth.operator.record.DecisionLog.LoggedDecision;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Explanations of decisions, as text and as JSON. */
class ExplanationTest {
  private static final PodRef POD = new PodRef("team", "pod", "uid-pod");
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final DecisionLog decisions = new DecisionLog(10, pod -> true, () -> NOW);

  private static CycleRecord untried(String policy, String revision) {
    return new CycleRecord.Untried(policy, revision, 9, "why");
  }

  private static Decision.Unschedulable waits(CycleRecord record) {
    return new Decision.Unschedulable(
        POD,
        new Attempt(1, NOW),
        WaitCause.NO_ROOM,
        "why",
        false,
        Optional.empty(),
        Optional.empty(),
        record);
  }

  private static Decision.Placed placed() {
    return new Decision.Placed(
        POD,
        new Attempt(2, NOW),
        "n1",
        List.of(),
        Map.of(),
        Map.of(),
        List.of(),
        Optional.empty(),
        untried("batch", "3"));
  }

  @Test
  void aPlacedPod_saysWhichDevicesItsClaimsGet() {
    ClaimAllocation claim =
        new ClaimAllocation(
            "team",
            "training",
            "uid",
            Optional.of(
                new DeviceAllocation(
                    List.of(
                        new DeviceAllocation.Result(
                            "gpus",
                            new DeviceId("gpu.example.com", "n1", "gpu-3"),
                            false,
                            List.of(),
                            Optional.empty(),
                            Map.of(),
                            List.of(),
                            List.of())),
                    List.of(),
                    Optional.empty())),
            Optional.empty());
    decisions.decided(placed().after(claim), NOW);

    LoggedDecision entry = decisions.find(POD.namespace(), POD.name()).orElseThrow();
    assertThat(Explanation.text(entry, decisions.groupOf(entry)))
        .contains("gpu.example.com/n1/gpu-3 for gpus of training");
    assertThat(Explanation.json(entry, decisions.groupOf(entry)).at("/devices/0").asText())
        .isEqualTo("gpu.example.com/n1/gpu-3 for gpus of training");
  }

  @Test
  void aShadow_isShownBesideTheDecision() {
    decisions.decided(placed(), NOW);
    decisions.shadowed(
        new ShadowDecision(
            POD,
            "batch",
            "packed",
            ShadowDecision.Result.EVICTING,
            "n2",
            "team/other would be evicted"));

    LoggedDecision entry = decisions.find(POD.namespace(), POD.name()).orElseThrow();
    assertThat(Explanation.text(entry, decisions.groupOf(entry)))
        .contains("Shadow    packed would select n2, with evictions: team/other would be evicted");
    assertThat(Explanation.json(entry, decisions.groupOf(entry)).path("shadow"))
        .hasToString(
            "{\"policy\":\"packed\",\"result\":\"Evicting\",\"node\":\"n2\","
                + "\"message\":\"team/other would be evicted\"}");
  }

  @Test
  void aShadowOfAnEarlierPodOfTheSameName_isIgnored() {
    decisions.decided(placed(), NOW);
    decisions.shadowed(
        new ShadowDecision(
            new PodRef("team", "pod", "earlier"),
            "batch",
            "packed",
            ShadowDecision.Result.SAME,
            "n1",
            ""));

    assertThat(decisions.find(POD.namespace(), POD.name()).orElseThrow().shadow()).isEmpty();
  }

  @Test
  void nomination_isStillShown_whenThePodIsPlaced() {
    decisions.decided(
        new Decision.Nominated(
            POD,
            new Attempt(1, NOW),
            "n1",
            List.of(new PodRef("team", "victim", "uid-victim")),
            List.of(),
            "0/9 nodes are available",
            untried("batch", "3")),
        NOW);

    decisions.decided(placed(), NOW);
    LoggedDecision entry = decisions.ended(POD, "bound", OptionalLong.of(3)).orElseThrow();

    assertThat(Explanation.text(entry, decisions.groupOf(entry)))
        .contains("placed on n1")
        .contains("Before    nominated for n1 after evicting team/victim");
    ObjectNode json = Explanation.json(entry, decisions.groupOf(entry));
    assertThat(json.at("/nominatedBefore/victims/0").asText()).isEqualTo("team/victim");
    assertThat(json.at("/nominatedBefore/message").asText()).isEqualTo("0/9 nodes are available");
  }

  @Test
  void memberOfAGroup_hasTheGroup() {
    LoggedDecision entry =
        decisions.decided(
            waits(new CycleRecord.OfGroup("group team/g", untried("batch", "3"), "why")), NOW);

    assertThat(Explanation.text(entry, decisions.groupOf(entry)))
        .contains("Policy    batch, revision 3")
        .contains("Group     group team/g");
    assertThat(Explanation.json(entry, decisions.groupOf(entry)).path("group").asText())
        .isEqualTo("group team/g");
  }

  @Test
  void memberOfAGroup_hasTheProgressOfTheGroup() {
    GroupRef group = new GroupRef(GroupDialect.BERTH, "team", "g");
    LoggedDecision entry =
        decisions.decided(
            waits(new CycleRecord.OfGroup(group.toString(), untried("batch", "3"), "why")), NOW);
    decisions.groups(
        List.of(
            new GroupState(
                group,
                Optional.of(GroupModel.of(group, 8)),
                7,
                2,
                1,
                5,
                GroupState.Phase.INCOMPLETE,
                "",
                new GroupState.Pods(4, true, true, true, false))));

    assertThat(Explanation.text(entry, decisions.groupOf(entry)))
        .contains("team/g: 3 of at least 8 pods placed, 4 waiting");
    assertThat(Explanation.json(entry, decisions.groupOf(entry)).path("groupProgress"))
        .hasToString(
            "{\"phase\":\"Incomplete\",\"minimum\":8,\"pods\":7,\"placed\":3,\"waiting\":4,"
                + "\"missing\":5}");

    decisions.clear();
    assertThat(decisions.groupOf(entry)).isEmpty();
  }

  @Test
  void policyThatDoesNotExist_hasNoRevision() {
    LoggedDecision entry = decisions.decided(waits(untried("typo", "")), NOW);
    assertThat(Explanation.json(entry, decisions.groupOf(entry)).path("cause").asText())
        .isEqualTo("NoRoom");

    assertThat(Explanation.text(entry, decisions.groupOf(entry)))
        .contains("Policy    typo, which is not served");
  }
}

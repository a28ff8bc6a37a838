package io.berth.engine.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.fixtures.Nodes;
import io.berth.engine.journal.Journal;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PodVolume;
import io.berth.engine.model.Requirement;
import io.berth.engine.quantity.ExactQuantity;
import io.berth.rules.label.LabelOperator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ClaimPlannerTest {
  private static final List<PodVolume> DATA =
      List.of(new PodVolume.Claim("data", Optional.empty()));

  private final StorageTable storage = new StorageTable(new Journal());

  private static NodeModel node(String name, String zone) {
    return Nodes.bare(name).label("zone", zone).build();
  }

  private static Requirement inZone(String zone) {
    return new Requirement("zone", LabelOperator.IN, List.of(zone));
  }

  private static VolumeClaim claim(String name, String volumeName, String size) {
    return new VolumeClaim(
        "team",
        name,
        "uid-" + name,
        "",
        "fast",
        volumeName,
        !volumeName.isEmpty(),
        "",
        false,
        false,
        Set.of("ReadWriteOnce"),
        Optional.of(ExactQuantity.parse(size)),
        "Filesystem",
        Optional.empty(),
        "");
  }

  private static Volume volume(String name, String size, String zone) {
    return new Volume(
        name,
        Map.of(),
        Optional.empty(),
        "fast",
        ExactQuantity.parse(size),
        "Filesystem",
        Set.of("ReadWriteOnce"),
        true,
        false,
        Optional.of(List.of(new NodeTerm(List.of(inZone(zone)), List.of(), false))),
        Optional.of(List.of(new NodeTerm(List.of(inZone("csi-" + zone)), List.of(), false))),
        "kubernetes.io/gce-pd",
        name,
        "");
  }

  private void waitingClass(String provisioner) {
    storage.put(new StorageClass("fast", provisioner, Optional.of(true), List.of()), "1");
  }

  private ClaimPlanner planner() {
    return new ClaimPlanner("team", DATA, storage);
  }

  @Test
  void aMissingClaim_isTheProblem() {
    assertThat(planner().problem()).contains("persistentvolumeclaim \"data\" not found");
  }

  @Test
  void aMissingEphemeralClaim_isWaitedFor_andAnothersIsRefused() {
    PodRef pod = new PodRef("team", "p", "pod-uid");
    List<PodVolume> volumes = List.of(new PodVolume.Claim("p-scratch", Optional.of(pod)));

    assertThat(new ClaimPlanner("team", volumes, storage).problem())
        .contains(
            "waiting for ephemeral volume controller to create the persistentvolumeclaim"
                + " \"p-scratch\"");
    storage.put(claim("p-scratch", "", "1Gi"), "1");
    assertThat(new ClaimPlanner("team", volumes, storage).problem())
        .contains("PVC team/p-scratch was not created for pod team/p (pod is not owner)");
  }

  @Test
  void anImmediateClaimThatIsNotBound_isTheProblem() {
    storage.put(claim("data", "", "1Gi"), "1");

    assertThat(planner().problem()).contains("pod has unbound immediate PersistentVolumeClaims");
  }

  @Test
  void onANodeThatMovedTheVolumesPluginToCsi_itsTermsForCsiCount() {
    storage.put(claim("data", "v", "1Gi"), "1");
    storage.put(volume("v", "1Gi", "a"), "1");
    storage.put(new CsiNode("n", Map.of(), Set.of("kubernetes.io/gce-pd")), "1");

    assertThat(planner().planFor(node("n", "csi-a")).reasons()).isEmpty();
    assertThat(planner().planFor(node("n", "a")).reasons())
        .containsExactly("node(s) didn't match PersistentVolume's node affinity");
    assertThat(planner().planFor(node("m", "a")).reasons()).isEmpty();
  }

  @Test
  void aBoundClaim_goesWhereItsVolumeIs() {
    storage.put(claim("data", "v", "1Gi"), "1");
    storage.put(volume("v", "1Gi", "a"), "1");

    assertThat(planner().planFor(node("n", "a")).reasons()).isEmpty();
    assertThat(planner().planFor(node("n", "b")).reasons())
        .containsExactly("node(s) didn't match PersistentVolume's node affinity");
  }

  @Test
  void aClaimBoundToAVolumeThatIsGone_goesNowhere() {
    storage.put(claim("data", "v", "1Gi"), "1");

    assertThat(planner().planFor(node("n", "a")).reasons())
        .containsExactly(
            "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
  }

  @Test
  void aWaitingClaim_takesTheSmallestVolumeThatSuits() {
    waitingClass(StorageClass.NO_PROVISIONER);
    storage.put(claim("data", "", "2Gi"), "1");
    storage.put(volume("too-small", "1Gi", "a"), "1");
    storage.put(volume("large", "9Gi", "a"), "1");
    storage.put(volume("right", "3Gi", "a"), "1");
    storage.put(volume("elsewhere", "2Gi", "b"), "1");

    assertThat(planner().planFor(node("n", "a")).steps())
        .containsExactly(new VolumeStep.Bind("team", "data", "uid-data", "right", "1"));
    assertThat(planner().planFor(node("n", "c")).reasons())
        .containsExactly("node(s) didn't find available persistent volumes to bind");
  }

  @Test
  void twoClaims_doNotTakeTheSameVolume() {
    waitingClass(StorageClass.NO_PROVISIONER);
    storage.put(claim("data", "", "1Gi"), "1");
    storage.put(claim("logs", "", "1Gi"), "1");
    storage.put(volume("only", "1Gi", "a"), "1");
    List<PodVolume> both =
        List.of(
            new PodVolume.Claim("data", Optional.empty()),
            new PodVolume.Claim("logs", Optional.empty()));

    assertThat(new ClaimPlanner("team", both, storage).planFor(node("n", "a")).reasons())
        .containsExactly("node(s) didn't find available persistent volumes to bind");
  }

  @Test
  void aVolumeThatWasChosenForAnotherPod_isTaken_untilThatIsForgotten() {
    waitingClass(StorageClass.NO_PROVISIONER);
    storage.put(claim("data", "", "1Gi"), "1");
    storage.put(volume("only", "1Gi", "a"), "1");
    storage.assume(
        "other-pod", List.of(new VolumeStep.Bind("team", "other", "uid-other", "only", "1")));

    assertThat(planner().planFor(node("n", "a")).reasons()).isNotEmpty();
    storage.forget("other-pod");
    assertThat(planner().planFor(node("n", "a")).reasons()).isEmpty();
    assertThat(storage.assumptions()).isZero();
  }

  @Test
  void aVolumeIsMade_whereTheClassAllowsIt() {
    storage.put(
        new StorageClass(
            "fast", "csi.example.com", Optional.of(true), List.of(List.of(inZone("a")))),
        "1");
    storage.put(claim("data", "", "1Gi"), "1");

    assertThat(planner().planFor(node("n", "a")).steps())
        .containsExactly(new VolumeStep.Provision("team", "data", "n", "1"));
    assertThat(planner().planFor(node("n", "b")).reasons())
        .containsExactly("node(s) didn't find available persistent volumes to bind");
  }

  @Test
  void aVolumeIsMade_onlyWhereThereIsRoom_ifTheDriverTells() {
    waitingClass("csi.example.com");
    storage.put(new CsiDriver("csi.example.com", true), "1");
    storage.put(claim("data", "", "5Gi"), "1");
    storage.put(
        new StorageCapacity(
            "kube-system",
            "c",
            "fast",
            LabelSelector.ofPairs(Map.of("zone", "a")),
            Optional.of(ExactQuantity.parse("5Gi")),
            Optional.of(ExactQuantity.parse("5Gi"))),
        "1");

    assertThat(planner().planFor(node("n", "a")).reasons()).isEmpty();
    assertThat(planner().planFor(node("n", "b")).reasons())
        .containsExactly("node(s) did not have enough free storage");
  }

  @Test
  void aClaimWhoseNodeIsChosen_goesNowhereElse() {
    waitingClass("csi.example.com");
    storage.put(claim("data", "", "1Gi"), "1");
    storage.assume("pod", List.of(new VolumeStep.Provision("team", "data", "n1", "1")));

    assertThat(planner().planFor(node("n1", "a")).reasons()).isEmpty();
    assertThat(planner().planFor(node("n2", "a")).reasons())
        .containsExactly("node(s) didn't find available persistent volumes to bind");
  }

  @Test
  void whatIsAssumed_lastsUntilTheClaimIsSeenBound() {
    waitingClass(StorageClass.NO_PROVISIONER);
    storage.put(claim("data", "", "1Gi"), "1");
    storage.put(volume("v", "1Gi", "a"), "1");
    storage.assume("pod", planner().planFor(node("n", "a")).steps());

    storage.confirm("pod");
    assertThat(storage.assumptions()).isOne();
    storage.put(claim("data", "v", "1Gi"), "1");

    assertThat(storage.assumptions()).isZero();
  }

  @Test
  void whatIsAssumed_goesWithTheClaim() {
    waitingClass("csi.example.com");
    storage.put(claim("data", "", "1Gi"), "1");
    storage.assume("pod", planner().planFor(node("n", "a")).steps());

    storage.remove(VolumeClaim.KIND, "team", "data");

    assertThat(storage.assumptions()).isZero();
  }
}

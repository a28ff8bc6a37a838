package io.berth.operator.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.devices.ClaimAllocation;
import io.berth.engine.devices.DeviceAllocation;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PreBindStep;
import io.berth.operator.Placements;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The events for a new engine about placements whose pods are deleted meanwhile. */
class BindingsInFlightTest {
  private static final PodRef POD = new PodRef("team", "pod", "uid-pod");
  private static final ClaimAllocation DEVICES =
      new ClaimAllocation(
          "team",
          "claim",
          "uid-claim",
          Optional.of(new DeviceAllocation(List.of(), List.of(), Optional.empty())),
          Optional.empty());

  private final BindingsInFlight inFlight = new BindingsInFlight();

  private void placed(PreBindStep... steps) {
    inFlight.placed(Placements.placed(POD, "n1", steps));
  }

  private List<ClusterEvent> replayed() {
    List<ClusterEvent> events = new ArrayList<>();
    inFlight.replay(events::add);
    return events;
  }

  @Test
  void placementWithDevices_isInFlight_untilItsBindingHasFailed() {
    placed(DEVICES);
    inFlight.note(new ClusterEvent.PodRemoved(POD));
    assertThat(replayed()).hasSize(1);

    inFlight.note(new ClusterEvent.BindingFailed(POD, "not found", false));
    assertThat(replayed()).isEmpty();
  }

  @Test
  void placementWithDevices_isInFlight_untilItsBindingIsAccepted() {
    placed(DEVICES);
    inFlight.note(new ClusterEvent.PodRemoved(POD));
    inFlight.note(new ClusterEvent.BindingConfirmed(POD));

    assertThat(replayed()).isEmpty();
  }

  @Test
  void boundPod_isGone_whenItIsDeleted() {
    placed(DEVICES);
    inFlight.note(new ClusterEvent.BindingConfirmed(POD));
    assertThat(replayed()).as("no watch shows it yet").hasSize(1);

    inFlight.note(new ClusterEvent.PodRemoved(POD));

    assertThat(replayed()).isEmpty();
  }

  @Test
  void placementWithoutDevices_isGone_whenItsPodIsDeleted() {
    placed();
    inFlight.note(new ClusterEvent.PodRemoved(POD));

    assertThat(replayed()).isEmpty();
  }
}

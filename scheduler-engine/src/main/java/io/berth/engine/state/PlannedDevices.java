package io.berth.engine.state;

import io.berth.engine.cards.CardRules;
import io.berth.engine.cards.CardWorth;
import io.berth.engine.devices.ClaimAllocation;
import io.berth.engine.devices.DevicePlanner;
import io.berth.engine.devices.DevicePreference;
import io.berth.engine.devices.DeviceTable;
import io.berth.engine.model.Assignment;
import io.berth.engine.model.PodDevices;
import io.berth.engine.model.PreBindStep;
import io.berth.engine.model.ResourceAmounts;
import java.util.List;
import java.util.Optional;

/** Plans the devices for a pod's claims; planned devices count as in use. */
final class PlannedDevices implements Allocator {
  private final DeviceTable devices;
  private final NodeTable nodes;
  private final NodeCards cards;

  PlannedDevices(DeviceTable devices, NodeTable nodes, NodeCards cards) {
    this.devices = devices;
    this.nodes = nodes;
    this.cards = cards;
  }

  private record Plan(DeviceTable devices, String podUid, List<ClaimAllocation> steps)
      implements Holding {
    @Override
    public void take() {
      devices.assume(podUid, steps);
    }

    @Override
    public void giveBack() {
      devices.forget(podUid);
    }

    /** The devices stay in use until the outcome of the Binding says what was written. */
    @Override
    public void podIsGone() {}

    @Override
    public List<PreBindStep> preBind() {
      return List.copyOf(steps);
    }
  }

  @Override
  public Optional<Holding> handedOver(
      PodEntry pod, List<PreBindStep> preBind, List<Assignment> assignments) {
    return plan(pod, PreBindStep.ofType(preBind, ClaimAllocation.class));
  }

  @Override
  public void handedOverWithoutPod(String podUid, List<PreBindStep> preBind) {
    devices.assume(podUid, PreBindStep.ofType(preBind, ClaimAllocation.class));
  }

  private Optional<Holding> plan(PodEntry pod, List<ClaimAllocation> steps) {
    return steps.isEmpty()
        ? Optional.empty()
        : Optional.of(new Plan(devices, pod.ref().uid(), steps));
  }

  @Override
  public Scope scope() {
    return Scope.DECISION;
  }

  @Override
  public Optional<Holding> choose(PodEntry pod, int slot) {
    PodDevices wanted = pod.spec().devices();
    if (wanted.isEmpty()) {
      return Optional.empty();
    }
    DevicePlanner planner =
        new DevicePlanner(pod.ref().namespace(), wanted, pod.spec().requests().asked(), devices);
    if (planner.needsNothing()) {
      return Optional.empty();
    }
    DevicePlanner.Plan plan = planner.planFor(nodes.model(slot), preference(pod, slot));
    if (plan.refusal().isPresent()) {
      throw new IllegalStateException(
          "the filter let pod %s pass on node %s, but its claims cannot be allocated there: %s"
              .formatted(pod.ref(), nodes.name(slot), plan.refusal().get()));
    }
    return plan(pod, planner.steps(plan, pod.ref().uid()));
  }

  /** Returns what the pod's policy prefers among the devices of a node; absent if nothing. */
  private Optional<DevicePreference> preference(PodEntry pod, int slot) {
    CardRules rules = cards.rulesOf(pod.model());
    if (!rules.areOfPolicy()) {
      return Optional.empty();
    }
    CardWorth worth = cards.worth(rules);
    long counted =
        pod.slot() == slot ? 0 : pod.spec().requests().held().amountOf(ResourceAmounts.CPU);
    return cards
        .deviceCards()
        .preference(
            slot, nodes.model(slot), rules, worth, Math.max(0, cards.freeMilliCpu(slot) - counted));
  }

  @Override
  public void confirmed(PodEntry pod) {
    devices.confirm(pod.ref().uid());
  }

  @Override
  public void endedWithoutPod(String podUid, boolean confirmed) {
    if (confirmed) {
      devices.confirm(podUid);
    }
    devices.forget(podUid);
  }

  @Override
  public void abandoned(PodEntry pod) {
    devices.forget(pod.ref().uid());
  }

  @Override
  public void removeNode(int slot) {
    devices.forgetNode(nodes.name(slot));
  }
}

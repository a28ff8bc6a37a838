package io.berth.engine.state;

import io.berth.engine.model.Assignment;
import io.berth.engine.model.PodVolume;
import io.berth.engine.model.PreBindStep;
import io.berth.engine.volume.ClaimPlanner;
import io.berth.engine.volume.StorageTable;
import io.berth.engine.volume.VolumeStep;
import java.util.List;
import java.util.Optional;

/** Plans the volumes for a pod's claims; planned volumes count as in use. */
final class PlannedClaims implements Allocator {
  private final StorageTable storage;
  private final NodeTable nodes;

  PlannedClaims(StorageTable storage, NodeTable nodes) {
    this.storage = storage;
    this.nodes = nodes;
  }

  private record Plan(StorageTable storage, String podUid, List<VolumeStep> steps)
      implements Holding {
    @Override
    public void take() {
      storage.assume(podUid, steps);
    }

    @Override
    public void giveBack() {
      storage.forget(podUid);
    }

    @Override
    public List<PreBindStep> preBind() {
      return List.copyOf(steps);
    }
  }

  @Override
  public Optional<Holding> handedOver(
      PodEntry pod, List<PreBindStep> preBind, List<Assignment> assignments) {
    return plan(pod, PreBindStep.ofType(preBind, VolumeStep.class));
  }

  private Optional<Holding> plan(PodEntry pod, List<VolumeStep> steps) {
    return steps.isEmpty()
        ? Optional.empty()
        : Optional.of(new Plan(storage, pod.ref().uid(), steps));
  }

  @Override
  public void confirmed(PodEntry pod) {
    storage.confirm(pod.ref().uid());
  }

  @Override
  public void abandoned(PodEntry pod) {
    storage.forget(pod.ref().uid());
  }

  @Override
  public Scope scope() {
    return Scope.DECISION;
  }

  @Override
  public Optional<Holding> choose(PodEntry pod, int slot) {
    List<PodVolume> volumes = pod.spec().volumes();
    if (volumes.isEmpty()) {
      return Optional.empty();
    }
    ClaimPlanner planner = new ClaimPlanner(pod.ref().namespace(), volumes, storage);
    if (planner.problem().isPresent()) {
      return Optional.empty();
    }
    return plan(pod, planner.planFor(nodes.model(slot)).steps());
  }
}

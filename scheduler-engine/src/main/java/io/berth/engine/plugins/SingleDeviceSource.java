package io.berth.engine.plugins;

import io.berth.engine.devices.CountedDevices;
import io.berth.engine.devices.DeviceClaim;
import io.berth.engine.devices.DeviceClass;
import io.berth.engine.framework.Change;
import io.berth.engine.framework.Cure;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodDevices;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Keeps a device from being given twice on a node where a device plugin counts it as an extended
 * resource and a driver publishes it for claims: such a node serves either kind of pods at a time.
 * kube-scheduler has no such filter.
 */
public record SingleDeviceSource() implements FilterPlugin {
  /** Its name. */
  public static final String NAME = "SingleDeviceSource";

  record Question(String namespace, PodDevices devices, ResourceAmounts asked) {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
    PodDevices devices = shape.spec().devices();
    if (devices.isEmpty()) {
      return Optional.empty();
    }
    ResourceAmounts asked =
        devices.containers().isEmpty() ? ResourceAmounts.none() : shape.spec().requests().asked();
    Question question = new Question(shape.namespace(), devices, asked);
    return Optional.of(state.answers().acquire(question, () -> new Answer(question, state)));
  }

  @Override
  public Cure cureBy(Change change) {
    return switch (change) {
      case Change.DevicesChanged devices ->
          ofDevices(
              (shape, state) ->
                  devices.releasesDevices() || !(devices.after() instanceof DeviceClaim));
      case Change.NodeChanged node ->
          ofDevices(
              (shape, state) ->
                  node.before() == null
                      || !node.before().allocatable().equals(node.after().allocatable()));
      case Change.PodGone(PodModel gone, String nodeName) ->
          ofDevices(
              (shape, state) ->
                  !gone.spec().devices().claims().isEmpty()
                      || counted(state).areRequestedBy(gone.spec().requests().held()));
      case Change.PodChanged(PodModel before, PodModel after) ->
          ofDevices(
              (shape, state) ->
                  !before.spec().requests().equals(after.spec().requests())
                      && counted(state).areRequestedBy(before.spec().requests().held()));
      case Change.SelfChanged self -> ofDevices((shape, state) -> true);
      default -> Cure.none();
    };
  }

  /** Returns the cure of the rejections of pods that ask for devices, and for which it holds. */
  private static Cure ofDevices(Cure.Test test) {
    return Cure.of(
        (shape, state) -> !shape.spec().devices().isEmpty() && test.mayBeCured(shape, state));
  }

  private static CountedDevices counted(ClusterState state) {
    return new CountedDevices(state.devices());
  }

  private static final class Answer extends NodeFilter {
    private final Question question;
    private final CountedDevices counted;
    private Set<String> requestedClasses;
    private long devicesVersion;
    private long classesVersion;
    private boolean changed = true;

    Answer(Question question, ClusterState state) {
      super(question, state, state.deviceLog(), state.nodes().capacityLog());
      this.question = question;
      this.counted = new CountedDevices(state.devices());
      this.devicesVersion = state.devices().version();
      this.classesVersion = state.devices().classes().version();
      this.requestedClasses = requestedClasses();
    }

    private Set<String> requestedClasses() {
      return counted.requestedClasses(question.namespace(), question.devices());
    }

    @Override
    public void refreshInputs() {
      if (devicesVersion == state.devices().version()) {
        return;
      }
      devicesVersion = state.devices().version();
      Set<String> now = requestedClasses();
      changed |=
          classesVersion != state.devices().classes().version() || !now.equals(requestedClasses);
      classesVersion = state.devices().classes().version();
      requestedClasses = now;
    }

    @Override
    protected boolean recheckByInputs() {
      boolean all = changed;
      changed = false;
      return all;
    }

    @Override
    protected Optional<NodeSet> mayReject() {
      return counted.areNamed() ? Optional.empty() : Optional.of(NO_NODES);
    }

    @Override
    public long otherInputsVersion() {
      return state.devices().version();
    }

    @Override
    protected int check(int slot) {
      long before = counted.steps();
      int result = sourceVerdict(slot);
      state.work().spend(counted.steps() - before);
      return result;
    }

    private int sourceVerdict(int slot) {
      NodeModel node = nodes.model(slot);
      List<DeviceClass> countedClasses = counted.countedOn(node);
      if (countedClasses.isEmpty()) {
        return PASSES;
      }
      Set<String> requested = counted.requestedOn(node, question.devices(), question.asked());
      requested.addAll(requestedClasses);
      for (DeviceClass of : countedClasses) {
        String resource = of.extendedResource().orElseThrow();
        boolean asksPlugin = question.asked().amountOf(resource) > 0;
        boolean asksClaim = !requested.isEmpty() && counted.mayGive(node, of, requested);
        if (asksPlugin && (asksClaim || counted.isAnyAllocated(node, of))) {
          return idOf(
              Verdict.unschedulable(
                  "node(s) had devices of class %s in claims, which a device plugin counts as %s too"
                      .formatted(of.name(), resource)));
        }
        if (asksClaim && nodes.requested(state.resources().idOf(resource), slot) > 0) {
          return idOf(
              Verdict.unschedulable(
                  "node(s) had pods with %s, which a device plugin counts for devices of class %s"
                      .formatted(resource, of.name())));
        }
      }
      return PASSES;
    }
  }
}

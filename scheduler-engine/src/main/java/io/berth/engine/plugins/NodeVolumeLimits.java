package io.berth.engine.plugins;

import io.berth.engine.framework.Change;
import io.berth.engine.framework.Cure;
import io.berth.engine.framework.DryRunHints;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Verdict;
import io.berth.engine.framework.VerdictFigures;
import io.berth.engine.model.PodVolume;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import io.berth.engine.volume.AttachedVolumes;
import io.berth.engine.volume.ClaimPlanner;
import io.berth.engine.volume.CsiDriver;
import io.berth.engine.volume.CsiNode;
import io.berth.engine.volume.StorageChange;
import io.berth.engine.volume.StorageClass;
import io.berth.engine.volume.Volume;
import io.berth.engine.volume.VolumeAttachment;
import io.berth.engine.volume.VolumeClaim;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Rejects nodes that would have to attach more volumes than a CSI driver allows, or that lack a CSI
 * driver that has to be there.
 */
public record NodeVolumeLimits() implements FilterPlugin {
  record Question(String namespace, List<PodVolume> volumes) {}

  @Override
  public String name() {
    return "NodeVolumeLimits";
  }

  @Override
  public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
    if (shape.spec().volumes().stream().noneMatch(AttachedVolumes::counts)) {
      return Optional.empty();
    }
    Question question = new Question(VolumeFilter.namespaceOfClaims(shape), shape.spec().volumes());
    return Optional.of(state.answers().acquire(question, () -> new Answer(question, state)));
  }

  @Override
  public Cure cureBy(Change change) {
    return switch (change) {
      case Change.NodeChanged node -> Cure.when(node.before() == null);
      case Change.PodGone gone ->
          Cure.when(gone.pod().spec().volumes().stream().anyMatch(AttachedVolumes::counts));
      case Change.StorageChanged changed ->
          changed.kind().equals(CsiNode.KIND)
                  || changed.kind().equals(CsiDriver.KIND)
                  || changed.kind().equals(VolumeAttachment.KIND)
              ? Cure.all()
              : Cure.of((shape, state) -> VolumeFilter.isOwnClaim(changed, shape));
      default -> Cure.none();
    };
  }

  /**
   * The volumes that a node would attach, by driver.
   *
   * @param more those that the pod adds
   * @param used those that are attached for other pods
   * @param limits the most for each driver that has a limit
   */
  private record Attachments(
      Map<String, Integer> more, AttachedVolumes used, Map<String, Integer> limits) {
    boolean exceedLimits() {
      for (Map.Entry<String, Integer> added : more.entrySet()) {
        Integer limit = limits.get(added.getKey());
        if (limit != null && used.countOf(added.getKey()) + added.getValue() > limit) {
          return true;
        }
      }
      return false;
    }

    String text() {
      return more.entrySet().stream()
          .filter(added -> limits.containsKey(added.getKey()))
          .map(
              added ->
                  "attaches %d more volumes of %s, %d of at most %d are attached"
                      .formatted(
                          added.getValue(),
                          added.getKey(),
                          used.countOf(added.getKey()),
                          limits.get(added.getKey())))
          .collect(Collectors.joining("; "));
    }
  }

  private static final class Answer extends VolumeFilter implements DryRunHints, VerdictFigures {
    private final Question question;
    private final AttachmentRoom room;
    private final int exceeded;
    private boolean volumesChanged;
    private RequiredDrivers required = RequiredDrivers.NONE;

    Answer(Question question, ClusterState state) {
      super(question, question.namespace(), question.volumes(), state, state.nodes().capacityLog());
      this.question = question;
      this.room = AttachmentRoom.acquire(state);
      this.exceeded = idOf(Verdict.unschedulable("node(s) exceed max volume count"));
    }

    /**
     * Returns whether a change may affect all nodes. The volumes, and so the claims, of all pods on
     * a node count, but they matter only if the node is close to its limit. What determines the
     * drivers of the pod's own volumes concerns all nodes, because each may lack one.
     */
    @Override
    protected boolean concernsAll(StorageChange change) {
      volumesChanged = true;
      if (question.volumes().size() > AttachmentRoom.CLOSE) {
        return true;
      }
      return switch (change.kind()) {
        case CsiNode.KIND -> {
          int slot = nodes.slotOf(change.name());
          if (slot >= 0) {
            concerns(slot);
          }
          yield false;
        }
        case CsiDriver.KIND -> true;
        case StorageClass.KIND -> reads(change);
        case Volume.KIND -> isOfBoundClaim(change.name());
        default -> isOwnClaim(change);
      };
    }

    private boolean isOfBoundClaim(String volume) {
      for (PodVolume wanted : question.volumes()) {
        if (wanted instanceof PodVolume.Claim claim
            && storage
                .claim(question.namespace(), claim.claimName())
                .map(found -> found.volumeName().equals(volume))
                .orElse(false)) {
          return true;
        }
      }
      return false;
    }

    @Override
    protected boolean recheckByInputs() {
      boolean all = super.recheckByInputs();
      if (volumesChanged && !all) {
        NodeSet mayDiffer = NodeSet.copyOf(rejected());
        mayDiffer.grow(nodes.roomForSlots());
        mayDiffer.addAll(room.closeNodes());
        mayDiffer.forEach(this::recheck);
      }
      volumesChanged = false;
      return all;
    }

    @Override
    protected Optional<Verdict> read() {
      required = RequiredDrivers.of(question.namespace(), question.volumes(), storage);
      for (PodVolume volume : question.volumes()) {
        if (volume instanceof PodVolume.Claim wanted) {
          Optional<VolumeClaim> found = storage.claim(question.namespace(), wanted.claimName());
          if (found.isEmpty()) {
            return Optional.of(Verdict.unresolvable(lookingUp(wanted.claimName())));
          }
          Optional<String> problem =
              wanted.madeFor().flatMap(pod -> ClaimPlanner.ownershipProblem(found.get(), pod));
          if (problem.isPresent()) {
            return problem.map(Verdict::unresolvable);
          }
        }
      }
      return Optional.empty();
    }

    /**
     * Returns no verdict on the pod as a whole: as in kube-scheduler, it is reported for each node.
     */
    @Override
    public Optional<Verdict> rejectsPod() {
      return Optional.empty();
    }

    private String lookingUp(String claimName) {
      return "looking up PVC "
          + question.namespace()
          + "/"
          + claimName
          + ": "
          + notFound("persistentvolumeclaim", claimName);
    }

    @Override
    public DryRunHints dryRunHints() {
      return this;
    }

    @Override
    public boolean maySettle() {
      return true;
    }

    @Override
    public void refreshInputs() {
      super.refreshInputs();
      room.refresh();
    }

    @Override
    public boolean isSettled(int slot) {
      return required.isEmpty() && room.takes(slot, question.volumes().size());
    }

    @Override
    public NodeSet mayBeUnsettled() {
      return mayRejectByNode().orElse(nodes.alive());
    }

    @Override
    protected Optional<NodeSet> mayRejectByNode() {
      return question.volumes().size() > AttachmentRoom.CLOSE || !required.isEmpty()
          ? Optional.empty()
          : Optional.of(room.closeNodes());
    }

    @Override
    public void close() {
      room.release(state);
    }

    @Override
    protected int checkNode(int slot) {
      if (!required.isEmpty()) {
        Optional<String> missing = required.missingOn(storage.csiNode(nodes.name(slot)));
        if (missing.isPresent()) {
          return idOf(
              Verdict.unschedulable(missing.get() + " CSI driver is not installed on the node"));
        }
      }
      if (room.takes(slot, question.volumes().size())) {
        return PASSES;
      }
      return attachments(slot).map(Attachments::exceedLimits).orElse(false) ? exceeded : PASSES;
    }

    @Override
    public String figures(int slot) {
      return attachments(slot).map(Attachments::text).orElse("");
    }

    /** Returns what the pod would have the node attach; empty if the node limits nothing of it. */
    private Optional<Attachments> attachments(int slot) {
      String nodeName = nodes.name(slot);
      Optional<CsiNode> node = storage.csiNode(nodeName);
      if (node.isEmpty() || node.get().limits().isEmpty()) {
        return Optional.empty();
      }
      AttachedVolumes wanted = new AttachedVolumes(storage, node);
      wanted.addAll(question.namespace(), question.volumes());
      if (wanted.isEmpty()) {
        return Optional.empty();
      }
      AttachedVolumes used = new AttachedVolumes(storage, node);
      for (int i = 0; i < nodes.podCount(slot); i++) {
        PodEntry pod = nodes.pod(slot, i);
        used.addAll(pod.ref().namespace(), pod.spec().volumes());
      }
      Map<String, Integer> added = wanted.countsBeyond(used);
      used.addAttachments(nodeName);
      return Optional.of(new Attachments(added, used, node.get().limits()));
    }
  }
}

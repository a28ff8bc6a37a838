package io.berth.engine.plugins;

import io.berth.engine.model.StorageObject;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.SharedAnswers;
import io.berth.engine.volume.CsiNode;
import io.berth.engine.volume.StorageTable;
import io.berth.engine.volume.VolumeAttachment;
import java.util.Arrays;
import java.util.Optional;

/**
 * A lower bound on the number of further volumes that each node accepts: it assumes that every
 * volume that its pods reference, and every attached one, counts towards the lowest of its limits.
 * Most nodes are far from their limits and need no exact count.
 */
final class AttachmentRoom implements SharedAnswers.Answer {
  private record Question() {}

  /** The bound below which nodes are listed as close to their limits. */
  static final int CLOSE = 16;

  private final NodeTable nodes;
  private final StorageTable storage;
  private final SharedAnswers answers;
  private final NodeSet close = new NodeSet();
  private int[] room = {};
  private long seenCapacity;
  private long seenVersion = -1;

  private AttachmentRoom(ClusterState state) {
    this.nodes = state.nodes();
    this.storage = state.storage();
    this.answers = state.answers();
  }

  /** Returns the bounds of the cluster; requires one {@link #release}. */
  static AttachmentRoom acquire(ClusterState state) {
    return state.answers().acquire(new Question(), () -> new AttachmentRoom(state));
  }

  void release(ClusterState state) {
    state.answers().release(new Question());
  }

  /** Applies the changes since the last refresh. */
  void refresh() {
    if (room.length < nodes.slots()) {
      room = Arrays.copyOf(room, nodes.roomForSlots());
      close.grow(room.length);
      seenVersion = -1;
      answers.resized(this);
    }
    if (seenVersion >= 0 && storage.knowsSince(seenVersion)) {
      storage.forEachSince(seenVersion, change -> change.object().ifPresent(this::follow));
      seenCapacity = nodes.capacityLog().visit(seenCapacity, this::count);
    } else {
      seenCapacity = nodes.capacityLog().head();
      nodes.alive().forEach(this::count);
    }
    seenVersion = storage.version();
  }

  private void follow(StorageObject changed) {
    switch (changed) {
      case CsiNode node -> count(nodes.slotOf(node.name()));
      case VolumeAttachment attachment -> count(nodes.slotOf(attachment.nodeName()));
      default -> {
        // The number of volumes does not depend on their kinds.
      }
    }
  }

  private void count(int slot) {
    if (slot >= 0 && slot < room.length) {
      room[slot] = nodes.alive().contains(slot) ? roomOf(slot) : Integer.MAX_VALUE;
      close.put(slot, room[slot] < CLOSE);
    }
  }

  private int roomOf(int slot) {
    String name = nodes.name(slot);
    Optional<CsiNode> node = storage.csiNode(name);
    if (node.isEmpty() || node.get().limits().isEmpty()) {
      return Integer.MAX_VALUE;
    }
    int volumes = storage.attachmentsTo(name).size();
    for (int i = 0; i < nodes.podCount(slot); i++) {
      volumes += nodes.pod(slot, i).spec().volumes().size();
    }
    return node.get().lowestLimit() - volumes;
  }

  /** Returns whether the node accepts this many more volumes for certain. */
  boolean takes(int slot, int volumes) {
    return room[slot] >= volumes;
  }

  /** Returns the nodes that may not accept {@link #CLOSE} more volumes. */
  NodeSet closeNodes() {
    return close;
  }

  @Override
  public long bytes() {
    return 100L + 4L * room.length + close.bytes();
  }

  @Override
  public void close() {}
}

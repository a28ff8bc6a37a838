package io.berth.engine.plugins;

import io.berth.engine.state.Answers;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeTable;
import io.berth.engine.volume.CsiNode;
import io.berth.engine.volume.StorageTable;
import java.util.Arrays;
import java.util.Optional;

/**
 * The number of further volumes that each node takes for certain, whichever they are: should every
 * volume that its pods name and every one that is attached count against the lowest of its limits.
 * Most nodes are far from their limits, and of those this is all that has to be known.
 */
final class AttachmentRoom implements Answers.Answer {
  private record Question() {}

  private final NodeTable nodes;
  private final StorageTable storage;
  private final Answers answers;
  private int[] room = {};
  private long seenCapacity;
  private long seenVersion = -1;

  private AttachmentRoom(ClusterState state) {
    this.nodes = state.nodes();
    this.storage = state.storage();
    this.answers = state.answers();
  }

  /** The one of the cluster; needs one {@link #release}. */
  static AttachmentRoom acquire(ClusterState state) {
    return state.answers().acquire(new Question(), () -> new AttachmentRoom(state));
  }

  void release(ClusterState state) {
    state.answers().release(new Question());
  }

  /** Takes over what changed. */
  void refresh() {
    if (room.length < nodes.slots()) {
      room = Arrays.copyOf(room, nodes.roomForSlots());
      seenVersion = -1;
      answers.resized(new Question());
    }
    if (seenVersion == storage.attachingVersion()) {
      seenCapacity = nodes.capacityLog().visit(seenCapacity, this::count);
    } else {
      seenVersion = storage.attachingVersion();
      seenCapacity = nodes.capacityLog().head();
      nodes.alive().forEach(this::count);
    }
  }

  private void count(int slot) {
    if (slot >= room.length || !nodes.alive().contains(slot)) {
      return;
    }
    String name = nodes.name(slot);
    Optional<CsiNode> node = storage.csiNode(name);
    if (node.isEmpty() || node.get().limits().isEmpty()) {
      room[slot] = Integer.MAX_VALUE;
      return;
    }
    int volumes = storage.attachmentsTo(name).size();
    for (int i = 0; i < nodes.podCount(slot); i++) {
      volumes += nodes.pod(slot, i).spec().volumes().size();
    }
    room[slot] = node.get().lowestLimit() - volumes;
  }

  /** Returns whether the node takes that many more for certain. */
  boolean takes(int slot, int volumes) {
    return room[slot] >= volumes;
  }

  @Override
  public long bytes() {
    return 100L + 4L * room.length;
  }

  @Override
  public void close() {}
}

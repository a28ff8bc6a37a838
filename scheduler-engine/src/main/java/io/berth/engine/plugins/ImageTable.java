package io.berth.engine.plugins;

import io.berth.engine.model.NodeImage;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.SharedAnswers;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The nodes that have each image, under each of its names. */
final class ImageTable implements SharedAnswers.Answer {
  private record Question() {}

  /** The nodes that have an image, with the size that each reports. */
  static final class Holders {
    final Map<Integer, Long> sizeBySlot = new HashMap<>();

    /** Changes with every change; different for any two holders of one name. */
    long version;
  }

  private final NodeTable nodes;
  private final SharedAnswers answers;
  private final Map<String, Holders> byName = new HashMap<>();
  private List<NodeImage>[] known = empty(0);
  private long seen;
  private long changes;

  /** The sum over all images of the number of nodes that have each. */
  private long held;

  private ImageTable(ClusterState state) {
    this.nodes = state.nodes();
    this.answers = state.answers();
  }

  /** Returns the table; requires one {@link #release}. */
  static ImageTable acquire(ClusterState state) {
    return state.answers().acquire(new Question(), () -> new ImageTable(state));
  }

  void release(ClusterState state) {
    state.answers().release(new Question());
  }

  void refresh() {
    if (known.length < nodes.slots()) {
      known = Arrays.copyOf(known, nodes.roomForSlots());
    }
    if (seen != nodes.imageLog().head()) {
      seen = nodes.imageLog().visit(seen, this::reread);
      answers.resized(this);
    }
  }

  /** Returns the nodes that have the image; null if there are none. */
  @Nullable Holders holders(String image) {
    return byName.get(image);
  }

  private void reread(int slot) {
    if (slot >= known.length) {
      return;
    }
    List<NodeImage> before = known[slot] == null ? List.of() : known[slot];
    List<NodeImage> after =
        nodes.alive().contains(slot) ? nodes.model(slot).images() : List.<NodeImage>of();
    if (before.equals(after)) {
      return;
    }
    for (NodeImage image : before) {
      for (String name : image.names()) {
        Holders holders = byName.get(name);
        if (holders != null && holders.sizeBySlot.remove(slot) != null) {
          held--;
          holders.version = ++changes;
          if (holders.sizeBySlot.isEmpty()) {
            byName.remove(name);
          }
        }
      }
    }
    for (NodeImage image : after) {
      for (String name : image.names()) {
        Holders holders = byName.computeIfAbsent(name, absent -> new Holders());
        if (holders.sizeBySlot.put(slot, image.sizeBytes()) == null) {
          held++;
        }
        holders.version = ++changes;
      }
    }
    known[slot] = after;
  }

  @SuppressWarnings("unchecked") // Arrays of generic lists can only be created as raw arrays.
  private static List<NodeImage>[] empty(int length) {
    return (List<NodeImage>[]) new List<?>[length];
  }

  @Override
  public long bytes() {
    return 200L + 4L * known.length + 250L * byName.size() + 72L * held;
  }

  @Override
  public void close() {}
}

package io.berth.engine.plugins;

import io.berth.engine.framework.Arguments;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Scale;
import io.berth.engine.framework.ScorePlugin;
import io.berth.engine.model.PodImages;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Prefers nodes that have the pod's images. The score grows with the sum, over the images on the
 * node, of the size times the share of nodes that have the image, between two thresholds
 * (kube-scheduler's ImageLocality).
 *
 * @param minThresholdBytes a sum up to this scores 0
 * @param maxContainerThresholdBytes a sum of this much for each container scores 100
 * @param maxScore the maximum score
 */
public record ImageLocality(long minThresholdBytes, long maxContainerThresholdBytes, int maxScore)
    implements ScorePlugin {
  private static final long MIB = 1024 * 1024;

  record Question(PodImages images, ImageLocality plugin) {}

  /**
   * Creates the plugin with kube-scheduler's thresholds: 23 MiB, and 1,000 MiB for each container.
   */
  public ImageLocality() {
    this(23 * MIB, 1000 * MIB, 100);
  }

  /** Parses the arguments. */
  public static ImageLocality read(Arguments arguments) {
    ImageLocality defaults = new ImageLocality();
    long min = arguments.integer("minThresholdBytes", 0, 1L << 50, defaults.minThresholdBytes());
    long max =
        arguments.integer(
            "maxContainerThresholdBytes", 1, 1L << 50, defaults.maxContainerThresholdBytes());
    int maxScore = (int) arguments.integer("maxScore", 1, 100, defaults.maxScore());
    if (max <= min) {
      arguments.problem(
          "maxContainerThresholdBytes",
          "must be greater than minThresholdBytes, which is " + min + ", not " + max);
      return defaults;
    }
    return new ImageLocality(min, max, maxScore);
  }

  @Override
  public String name() {
    return "ImageLocality";
  }

  @Override
  public Optional<NodeScorer> scorerFor(PodShape shape, ClusterState state) {
    Question question = new Question(shape.spec().images(), this);
    return Optional.of(state.answers().acquire(question, () -> new Answer(question, state)));
  }

  private static final class Answer extends NodeScorer {
    private final Question question;
    private final ImageTable images;
    private final List<Integer> scored = new ArrayList<>();
    private long[] versions = {};

    Answer(Question question, ClusterState state) {
      super(question, state, Scale.Kind.NONE);
      this.question = question;
      this.images = ImageTable.acquire(state);
    }

    @Override
    protected boolean refreshInputs(NodeSet feasible) {
      images.refresh();
      List<String> names = question.images().names();
      long[] now = new long[names.size() + 1];
      boolean somewhere = false;
      for (int i = 0; i < names.size(); i++) {
        ImageTable.Holders holders = images.holders(names.get(i));
        now[i] = holders == null ? 0 : holders.version;
        somewhere |= holders != null;
      }
      now[names.size()] = somewhere ? nodes.size() : 0;
      if (!Arrays.equals(now, versions)) {
        versions = now;
        scoreHolders(names);
      }
      return false;
    }

    private void scoreHolders(List<String> names) {
      scored.forEach(slot -> put(slot, 0));
      scored.clear();
      Map<Integer, Long> sums = new HashMap<>();
      for (String name : names) {
        ImageTable.Holders holders = images.holders(name);
        if (holders != null) {
          double spread = (double) holders.sizeBySlot.size() / nodes.size();
          holders.sizeBySlot.forEach(
              (slot, size) -> sums.merge(slot, (long) (size * spread), Long::sum));
        }
      }
      sums.forEach(
          (slot, sum) -> {
            put(slot, scaled(sum));
            scored.add(slot);
          });
    }

    @Override
    protected int score(int slot) {
      return scoreClasses().get(slot);
    }

    private int scaled(long sum) {
      ImageLocality plugin = question.plugin();
      long min = plugin.minThresholdBytes();
      long max = plugin.maxContainerThresholdBytes() * question.images().containers();
      long bounded = sum < min ? min : Math.min(sum, max);
      int score = max == min ? 0 : (int) (100 * (bounded - min) / (max - min));
      return Math.min(score, plugin.maxScore());
    }

    @Override
    public void close() {
      images.release(state);
    }
  }
}

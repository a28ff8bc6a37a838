package io.berth.demo.soak;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The violations of a run, each reported at once. Thread-safe. */
final class Findings {
  private static final int MOST = 50;

  private final Consumer<String> out;
  private final long began = System.nanoTime();
  private final List<String> all = new ArrayList<>();

  /**
   * @param out receives each violation
   */
  Findings(Consumer<String> out) {
    this.out = out;
  }

  /** Adds a violation, with the time since the beginning. */
  synchronized void add(String what) {
    if (all.size() < MOST) {
      Duration at = Duration.ofNanos(System.nanoTime() - began);
      String line = "%6.1f s  VIOLATION: %s".formatted(at.toMillis() / 1000.0, what);
      all.add(line);
      out.accept(line);
    }
  }

  synchronized List<String> all() {
    return List.copyOf(all);
  }
}

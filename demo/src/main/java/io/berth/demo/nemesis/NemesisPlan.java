package io.berth.demo.nemesis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/**
 * A plan of faults, in the order in which they begin. The same seed results in the same plan. A
 * process has one fault at a time, but several processes can have faults at the same time. All
 * faults end with the run.
 */
public record NemesisPlan(long seed, List<Fault> faults) {
  private static final int FIRST_GAP_MILLIS = 2_000;
  private static final int SHORTEST_GAP_MILLIS = 1_000;
  private static final Duration LONGEST_GAP = Duration.ofSeconds(6);
  private static final int SHORTEST_MILLIS = 500;

  /** Longer than the lease duration of 15 s plus the time for a takeover. */
  private static final int LONG_PAUSE_MILLIS = 20_000;

  private static final int LONGEST_PAUSE_MILLIS = 35_000;

  /** The minimum run for pauses that are longer than a leader's term. */
  private static final Duration LONG_RUN = Duration.ofSeconds(90);

  public NemesisPlan {
    faults = List.copyOf(faults);
  }

  /** Creates the plan of a run with little time between faults. */
  public static NemesisPlan of(long seed, Duration run, int targets) {
    return of(seed, run, targets, LONGEST_GAP);
  }

  /**
   * Creates the plan of a run.
   *
   * @param longestGap the maximum time between two faults of one process
   */
  public static NemesisPlan of(long seed, Duration run, int targets, Duration longestGap) {
    Random random = new Random(seed);
    List<FaultKind> deck = new ArrayList<>(List.of(FaultKind.values()));
    Collections.shuffle(deck, random);
    List<Fault> faults = new ArrayList<>();
    for (int target = 0; target < targets; target++) {
      long now = random.nextInt(FIRST_GAP_MILLIS);
      // Each target starts at another position in the deck, so that a short run includes every
      // kind.
      int card = target * deck.size() / targets;
      while (now + SHORTEST_MILLIS < run.toMillis()) {
        FaultKind kind = deck.get(card++ % deck.size());
        long length = Math.min(length(kind, run, random), run.toMillis() - now);
        faults.add(new Fault(Duration.ofMillis(now), Duration.ofMillis(length), target, kind));
        now += length + random.nextLong(SHORTEST_GAP_MILLIS, longestGap.toMillis());
      }
    }
    faults.sort(Comparator.comparing(Fault::at));
    return new NemesisPlan(seed, faults);
  }

  private static long length(FaultKind kind, Duration run, Random random) {
    boolean mayBeLong = run.compareTo(LONG_RUN) >= 0 && random.nextBoolean();
    return switch (kind) {
      case PAUSE, CUT, SILENCE ->
          mayBeLong
              ? random.nextInt(LONG_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS)
              : random.nextInt(1_000, 6_000);
      case KILL -> random.nextInt(SHORTEST_MILLIS, 3_000);
      case DELAY, THROTTLE, FAIL, LOSE -> random.nextInt(3_000, 9_000);
    };
  }
}

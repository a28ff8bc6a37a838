package io.berth.demo.tenants;

import io.berth.demo.tenants.Disturbances.Webhook;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * The mix of the tenants' steps for a stretch of {@link #STEPS} steps: most mixes leave out about
 * half of the kinds of steps, and repeat others more often. Combinations that are rare in a mix of
 * everything are common in some of them (Groce et al., "Swarm Testing", ISSTA 2012). A stretch also
 * has a namespace in which more happens, and some that it prefers among sizes and faults.
 *
 * <p>A stretch is drawn from the seed and its number alone, so that it stays the same if steps are
 * left out.
 */
final class Stretch {
  /** The number of steps of a stretch. */
  static final int STEPS = 100;

  private static final int[] FACTORS = {1, 1, 2, 4};
  private static final int APPS = 20;

  private final List<StepKind> kinds = new ArrayList<>();
  private final int[] weights;
  private final int totalWeight;
  private final String busyNamespace;
  private final int percentBusy;
  private final int apps;
  private final int percentOfGroupsLarge;
  private final List<Webhook> webhooks;

  private Stretch(List<StepKind> all, Random random) {
    boolean everything = random.nextInt(4) == 0;
    boolean faultsOfAll = random.nextBoolean();
    List<Integer> chosen = new ArrayList<>();
    for (StepKind kind : all) {
      boolean drawn = random.nextBoolean();
      int factor = FACTORS[random.nextInt(FACTORS.length)];
      boolean taken =
          switch (kind.role()) {
            case ALWAYS -> true;
            case SOMETIMES -> drawn || everything;
            case FAULT_OF_ALL -> faultsOfAll;
          };
      if (taken) {
        kinds.add(kind);
        boolean often = !everything && kind.role() != StepKind.Role.FAULT_OF_ALL;
        chosen.add(kind.weight() * (often ? factor : 1));
      }
    }
    weights = chosen.stream().mapToInt(Integer::intValue).toArray();
    totalWeight = chosen.stream().mapToInt(Integer::intValue).sum();
    busyNamespace = Tenants.NAMESPACES.get(random.nextInt(Tenants.NAMESPACES.size()));
    percentBusy = random.nextBoolean() ? 70 : 0;
    apps = random.nextBoolean() ? APPS : 3;
    percentOfGroupsLarge = random.nextInt(4) == 0 ? 50 : 8;
    webhooks = webhooks(random);
  }

  /**
   * Returns a stretch.
   *
   * @param number the number of the stretch, from 0
   */
  static Stretch of(long seed, int number, List<StepKind> kinds) {
    return new Stretch(kinds, randomOf(seed, -1 - number));
  }

  /** Returns a random source that differs much for similar seeds and numbers. */
  static Random randomOf(long seed, int number) {
    return new Random(new SplittableRandom(seed * 1_000_003L + number).nextLong());
  }

  private static List<Webhook> webhooks(Random random) {
    List<Webhook> all = List.copyOf(EnumSet.allOf(Webhook.class));
    List<Webhook> broken = List.copyOf(EnumSet.complementOf(EnumSet.of(Webhook.WELL)));
    Webhook one = broken.get(random.nextInt(broken.size()));
    return random.nextBoolean() ? all : List.of(one, one, one, Webhook.WELL);
  }

  /** Draws the kind of a step. */
  StepKind kind(Random random) {
    int draw = random.nextInt(totalWeight);
    int at = 0;
    while (draw >= weights[at]) {
      draw -= weights[at++];
    }
    return kinds.get(at);
  }

  /** Draws one of the tenants' namespaces. */
  String namespace(Random random) {
    String any = Tenants.NAMESPACES.get(random.nextInt(Tenants.NAMESPACES.size()));
    return random.nextInt(100) < percentBusy ? busyNamespace : any;
  }

  /** Draws the name of an app. */
  String app(Random random) {
    return "app-" + random.nextInt(apps);
  }

  /** Draws whether a group is large. */
  boolean isLarge(Random random) {
    return random.nextInt(100) < percentOfGroupsLarge;
  }

  /** Draws the state of the webhook of a namespace. */
  Webhook webhook(Random random) {
    return webhooks.get(random.nextInt(webhooks.size()));
  }
}

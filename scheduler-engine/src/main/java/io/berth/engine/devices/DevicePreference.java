package io.berth.engine.devices;

import io.berth.engine.cards.CardRules;
import io.berth.engine.cards.CardWorth;
import io.berth.engine.cards.FreeCards;
import io.berth.engine.cards.WholeCards;
import io.berth.engine.model.Card;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The order in which a search tries the devices of a node if the pod's policy has rules for cards:
 * what the rules prefer comes first. Whole cards are chosen by link groups and NUMA nodes, and
 * parts of cards by what they leave.
 */
public final class DevicePreference {
  private static final int WHOLE = Card.MILLI_CORES;

  /** The weight of each remaining thousandth of a card, for cards with equal worth. */
  private static final double BEST_FIT = 0.0003;

  /**
   * The weight of a card's free parts being few and large, for devices that leave as much: it keeps
   * together what larger partitions need.
   */
  private static final double TOGETHER = 1e-7;

  private static final double FIRST = 1e9;

  private final NodeDeviceCards cards;
  private final CardRules.Choice choice;
  private final CardWorth worth;
  private final long milliCpuLeft;
  private final FreeCards free = new FreeCards();

  /**
   * @param milliCpuLeft the CPU that remains on the node with the pod
   */
  DevicePreference(
      NodeDeviceCards cards, CardRules.Choice choice, CardWorth worth, long milliCpuLeft) {
    this.cards = cards;
    this.choice = choice;
    this.worth = worth;
    this.milliCpuLeft = milliCpuLeft;
  }

  /** Returns whether the order for a request's first device holds for the others, too. */
  boolean keepsOrder(AskedDevices asks, int[] candidates) {
    return areWhole(asks, candidates);
  }

  /**
   * Sorts devices, the preferred ones first.
   *
   * @param missing the number of devices that the request lacks
   * @param candidates the devices that can be chosen, in ascending order
   */
  int[] sorted(AskedDevices asks, long missing, int[] candidates, ChosenParts chosen) {
    if (candidates.length < 2) {
      return candidates;
    }
    return areWhole(asks, candidates)
        ? wholeFirst(missing, candidates, chosen)
        : byPreference(asks, candidates, chosen);
  }

  private boolean areWhole(AskedDevices asks, int[] candidates) {
    for (int device : candidates) {
      if (cards.cardOf(device) >= 0 && partOf(asks, device) < WHOLE) {
        return false;
      }
    }
    return true;
  }

  /** Returns the part of its card that the request takes with this device, in thousandths. */
  private int partOf(AskedDevices asks, int device) {
    Device content = cards.node().device(device).device();
    return content.shared()
        ? DeviceModels.partOf(content, asks.ask().capacity())
        : cards.card(cards.cardOf(device)).size(cards.positionOf(device));
  }

  private int[] wholeFirst(long missing, int[] candidates, ChosenParts chosen) {
    int[] owners = cards.read(chosen, free);
    Map<Integer, Integer> deviceOf = new HashMap<>();
    for (int device : candidates) {
      deviceOf.putIfAbsent(cards.cardOf(device), device);
    }
    boolean[] allowed = new boolean[free.size()];
    for (int part = 0; part < allowed.length; part++) {
      allowed[part] = deviceOf.containsKey(owners[part]);
    }
    int[] best =
        new WholeCards(free, allowed).choose((int) Math.min(missing, candidates.length), choice);
    int[] sorted = new int[candidates.length];
    int size = 0;
    for (int part : best) {
      sorted[size++] = deviceOf.get(owners[part]);
    }
    int chosenFirst = size;
    for (int device : candidates) {
      boolean isFirst = false;
      for (int i = 0; i < chosenFirst; i++) {
        isFirst |= sorted[i] == device;
      }
      if (!isFirst) {
        sorted[size++] = device;
      }
    }
    return sorted;
  }

  private int[] byPreference(AskedDevices asks, int[] candidates, ChosenParts chosen) {
    double[] preference = new double[candidates.length];
    Map<List<Object>, Double> alike = new HashMap<>();
    for (int i = 0; i < candidates.length; i++) {
      int device = candidates[i];
      int card = cards.cardOf(device);
      preference[i] =
          card < 0
              ? -FIRST * FIRST
              : choice == CardRules.Choice.TOPOLOGY
                  ? preference(asks, device, chosen)
                  : alike.computeIfAbsent(
                      List.of(cards.card(card).state(chosen), cards.positionOf(device)),
                      key -> preference(asks, device, chosen));
    }
    return IntStream.range(0, candidates.length)
        .boxed()
        .sorted(Comparator.comparingDouble((Integer i) -> -preference[i]))
        .mapToInt(i -> candidates[i])
        .toArray();
  }

  private double preference(AskedDevices asks, int device, ChosenParts chosen) {
    int card = cards.cardOf(device);
    int[] owners = cards.read(chosen, free);
    int before = 0;
    int linked = 0;
    boolean untouched = false;
    for (int part = 0; part < free.size(); part++) {
      if (owners[part] == card) {
        before += free.share(part);
        untouched |= free.isUntouched(part);
        if (choice == CardRules.Choice.TOPOLOGY) {
          linked = Math.max(linked, WholeCards.untouchedLinkedWith(free, part));
        }
      }
    }
    Device content = cards.node().device(device).device();
    Map<String, BigDecimal> consumed =
        content.shared() ? RequestedCapacity.of(content, asks.ask().capacity()) : Map.of();
    owners = cards.read(chosen.with(device, consumed), free);
    int left = 0;
    double together = 0;
    for (int part = 0; part < free.size(); part++) {
      if (owners[part] == card) {
        left += free.share(part);
        together += (double) free.share(part) * free.share(part);
      }
    }
    together *= TOGETHER / WHOLE;
    return switch (choice) {
      case BEST_FIT -> -before + together;
      case SPREAD -> before + together;
      case TOPOLOGY -> -linked * FIRST - before + together;
      case LEAST_FRAGMENTATION ->
          worth.of(free, milliCpuLeft) - BEST_FIT * (left + (untouched ? WHOLE : 0)) + together;
    };
  }
}

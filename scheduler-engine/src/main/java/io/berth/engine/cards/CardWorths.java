package io.berth.engine.cards;

import java.util.LinkedHashMap;
import java.util.Map;

/** A cache of worths by target workload; of many, the most recently used are kept. */
public final class CardWorths {
  private static final int REMEMBERED = 16;

  private final CardTable table;
  private final Map<TargetWorkload, CardWorth> byTarget =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<TargetWorkload, CardWorth> eldest) {
          return size() > REMEMBERED;
        }
      };
  private TargetWorkload lastTarget = TargetWorkload.unknown();
  private CardWorth last;

  public CardWorths(CardTable table) {
    this.table = table;
    this.last = new CardWorth(lastTarget, table);
  }

  /** Returns the worth for this workload. */
  @SuppressWarnings("ReferenceEquality") // The same value is requested repeatedly.
  public CardWorth of(TargetWorkload target) {
    if (target != lastTarget) {
      lastTarget = target;
      last = byTarget.computeIfAbsent(target, absent -> new CardWorth(absent, table));
    }
    return last;
  }
}

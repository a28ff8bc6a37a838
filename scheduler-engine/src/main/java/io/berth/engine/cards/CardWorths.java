package io.berth.engine.cards;

import java.util.LinkedHashMap;
import java.util.Map;

/** The worths by target workload; of many, those used last are remembered. */
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

  /** The worth to this workload. */
  @SuppressWarnings("ReferenceEquality") // the same value is asked for again and again
  public CardWorth of(TargetWorkload target) {
    if (target != lastTarget) {
      lastTarget = target;
      last = byTarget.computeIfAbsent(target, absent -> new CardWorth(absent, table));
    }
    return last;
  }
}

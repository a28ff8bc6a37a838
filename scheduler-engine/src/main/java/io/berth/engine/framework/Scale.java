package io.berth.engine.framework;

import io.berth.engine.state.NarrowColumn;

/**
 * The scale from a scorer's raw scores to 0 to 100, given their extremes over the nodes that passed
 * the filters. The formulas are kube-scheduler's, with its integer divisions.
 *
 * @param min the least raw score; only set if the kind reads extremes
 * @param max the greatest raw score
 */
public record Scale(Kind kind, int min, int max) {
  /** The formulas. */
  public enum Kind {
    /** The raw score, unchanged. */
    NONE,
    /** Proportional to the raw score; the greatest becomes 100. */
    PROPORTIONAL,
    /** 100 minus the {@link #PROPORTIONAL} score: lower raw scores are better. */
    INVERSE,
    /** Linear from the least, which becomes 0, to the greatest, which becomes 100. */
    BETWEEN,
    /**
     * Lower raw scores are better: the least becomes 100, and higher ones lose in proportion to
     * their distance from it.
     */
    SPREAD,
    /**
     * A raw score in fractions of a point, {@link #FINE_PER_POINT} per point. The product of score
     * and weight is rounded down, not the score: a greater weight distinguishes finer differences.
     */
    FINE;

    /** Returns whether a score depends on the raw scores of other nodes. */
    public boolean readsExtremes() {
      return this != NONE && this != FINE;
    }
  }

  /** The number of fractions per point of a {@link Kind#FINE} score. */
  public static final int FINE_PER_POINT = 10_000_000;

  /** An accumulator of the extremes of raw scores, if the kind reads them. */
  public static final class Extremes {
    private final Kind kind;
    private int min = Integer.MAX_VALUE;
    private int max;

    /** Creates an accumulator without raw scores. */
    public Extremes(Kind kind) {
      this.kind = kind;
      this.max = kind == Kind.BETWEEN ? Integer.MIN_VALUE : 0;
    }

    /** Includes the raw score of a feasible node. */
    public void include(int raw) {
      if (kind != Kind.SPREAD || raw != LEFT_OUT) {
        min = Math.min(min, raw);
        max = Math.max(max, raw);
      }
    }

    /** Returns the scale for these extremes. */
    public Scale scale() {
      return new Scale(kind, min, max);
    }
  }

  private static final Scale FRACTIONS = new Scale(Kind.FINE, 0, 0);

  /** The raw score of a node that gets 0 with {@link Kind#SPREAD}. */
  public static final int LEFT_OUT = -1;

  private static final Scale AS_IT_IS = new Scale(Kind.NONE, 0, 0);

  public static Scale none() {
    return AS_IT_IS;
  }

  public static Scale fine() {
    return FRACTIONS;
  }

  /** Returns the score of a node with this raw score, rounded down. */
  public int apply(int raw) {
    return switch (kind) {
      case NONE -> raw;
      case FINE -> raw / FINE_PER_POINT;
      case PROPORTIONAL -> max == 0 ? raw : (int) (100L * raw / max);
      case INVERSE -> max == 0 ? 100 : 100 - (int) (100L * raw / max);
      case BETWEEN -> max == min ? 0 : (int) (100.0 * ((double) ((long) raw - min) / span()));
      case SPREAD -> {
        if (raw == LEFT_OUT) {
          yield 0;
        }
        yield max == 0 ? 100 : (int) (100L * ((long) max + min - raw) / max);
      }
    };
  }

  /**
   * Returns the weighted score of a node with this raw score, as {@link #addTo} adds it to the
   * total.
   */
  public int weighted(int raw, int weight) {
    return kind == Kind.FINE ? (int) ((long) weight * raw / FINE_PER_POINT) : weight * apply(raw);
  }

  private double span() {
    return (double) ((long) max - min);
  }

  /** Adds the weighted scores of the first {@code slots} nodes to their totals. */
  public void addTo(int[] totals, NarrowColumn raw, int slots, int weight) {
    if (kind == Kind.NONE) {
      raw.addTo(totals, slots, weight);
    } else {
      for (int slot = 0; slot < slots; slot++) {
        totals[slot] += weighted(raw.get(slot), weight);
      }
    }
  }

  /** Adds the weighted scores of the first {@code slots} nodes to their totals. */
  public void addTo(int[] totals, int[] raw, int slots, int weight) {
    if (kind == Kind.NONE) {
      for (int slot = 0; slot < slots; slot++) {
        totals[slot] += weight * raw[slot];
      }
    } else {
      for (int slot = 0; slot < slots; slot++) {
        totals[slot] += weighted(raw[slot], weight);
      }
    }
  }
}

package io.berth.crds.queue;

import java.util.Locale;
import java.util.OptionalDouble;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Shares of the capacity, as the status of a queue contains them: {@code 12.5%}. */
public final class SharePercent {
  private static final int PERCENT = 100;
  private static final Pattern EXACT = Pattern.compile("[0-9]{1,9}\\.[0-9]{4}%");

  private SharePercent() {}

  /** Returns a share for readers, with one decimal. */
  public static String rounded(double share) {
    return Double.isInfinite(share)
        ? "more than all"
        : String.format(Locale.ROOT, "%.1f%%", PERCENT * share);
  }

  /** Returns a finite share that {@link #read} reads, with four decimals. */
  public static String exact(double share) {
    return String.format(Locale.ROOT, "%.4f%%", PERCENT * share);
  }

  /** Returns the share that {@link #exact} has written; empty if it was not written so. */
  public static OptionalDouble read(@Nullable String text) {
    return text != null && EXACT.matcher(text).matches()
        ? OptionalDouble.of(Double.parseDouble(text.substring(0, text.length() - 1)) / PERCENT)
        : OptionalDouble.empty();
  }
}

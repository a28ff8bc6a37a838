package io.berth.engine.time;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The time at which something is to be done: never, at once, or at an instant.
 *
 * <p>{@link Instant#MIN} and {@link Instant#MAX} are no substitutes: the time from or to them
 * overflows. Arithmetic with a due time is done here only.
 */
public final class Due {
  private enum Kind {
    AT_ONCE,
    AT,
    NEVER
  }

  /** It can be done now, whatever the time is. */
  public static final Due AT_ONCE = new Due(Kind.AT_ONCE, Instant.EPOCH);

  /** No time is scheduled. */
  public static final Due NEVER = new Due(Kind.NEVER, Instant.EPOCH);

  private final Kind kind;

  /** The time of {@link Kind#AT}. */
  private final Instant time;

  private Due(Kind kind, Instant time) {
    this.kind = kind;
    this.time = time;
  }

  /** Returns a time that is reached at this instant, which may have passed. */
  public static Due at(Instant time) {
    return new Due(Kind.AT, time);
  }

  /** Returns whether the time has come. */
  public boolean isReached(Instant now) {
    return kind == Kind.AT_ONCE || (kind == Kind.AT && !time.isAfter(now));
  }

  /** Returns the earlier of two times. */
  public Due orEarlier(Due other) {
    return other.isBefore(this) ? other : this;
  }

  /** Returns the later of two times. */
  public Due orLater(Due other) {
    return isBefore(other) ? other : this;
  }

  private boolean isBefore(Due other) {
    return (kind == Kind.AT && other.kind == Kind.AT)
        ? time.isBefore(other.time)
        : kind.compareTo(other.kind) < 0;
  }

  /**
   * Returns how long to wait for this time.
   *
   * @param longest the result if the time comes later, or never
   * @return from zero to {@code longest}
   */
  public Duration pause(Instant now, Duration longest) {
    if (isReached(now)) {
      return Duration.ZERO;
    }
    // Compared before it is subtracted: the difference of two instants may overflow.
    return (kind == Kind.AT && time.isBefore(now.plus(longest)))
        ? Duration.between(now, time)
        : longest;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Due due && kind == due.kind && time.equals(due.time);
  }

  @Override
  public int hashCode() {
    return Objects.hash(kind, time);
  }

  @Override
  public String toString() {
    return switch (kind) {
      case AT_ONCE -> "at once";
      case AT -> time.toString();
      case NEVER -> "never";
    };
  }
}

package io.berth.webhook.binding;

/**
 * The number of look-ups that a review may still cause at the API server. Reviews are answered for
 * anybody who can reach the webhook, so the look-ups of each source address are limited.
 *
 * <p>The allowance is bound to the thread of the review, because any use of a catalog can lead to a
 * look-up of an owner.
 */
@FunctionalInterface
public interface LookupAllowance {

  /** The reason why an object is not known if a look-up was not allowed. */
  String USED_UP = "the address that sent the review has used up its share of look-ups";

  /** Takes one look-up; returns false if none is left. */
  boolean take();

  /** Returns an allowance without a limit, for look-ups that Berth itself requires. */
  static LookupAllowance unlimited() {
    return () -> true;
  }

  /** Returns the allowance of the review on this thread; on another thread, one without a limit. */
  static LookupAllowance ofThisThread() {
    return ReviewThread.CURRENT.orElse(unlimited());
  }

  /** Runs a review on this thread with an allowance. */
  static <T, X extends Throwable> T within(
      LookupAllowance allowance, ScopedValue.CallableOp<T, X> review) throws X {
    return ScopedValue.where(ReviewThread.CURRENT, allowance).call(review);
  }
}

package io.berth.webhook.binding;

/** The binding of a {@link LookupAllowance} to a thread. */
final class ReviewThread {
  static final ScopedValue<LookupAllowance> CURRENT = ScopedValue.newInstance();

  private ReviewThread() {}
}

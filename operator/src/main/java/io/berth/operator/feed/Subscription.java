package io.berth.operator.feed;

/** The right to receive events, until it is closed. Closing it twice has no effect. */
@FunctionalInterface
public interface Subscription extends AutoCloseable {
  /** Ends the subscription: the subscriber is not called after this method returns. */
  @Override
  void close();
}

package io.berth.webhook.http;

import java.util.concurrent.atomic.AtomicLong;

/** The number of bytes that the bodies of all requests of a server may occupy in total. */
final class BodyBudget {
  private final long limit;
  private final AtomicLong taken = new AtomicLong();

  BodyBudget(long limit) {
    this.limit = limit;
  }

  /** Reserves the bytes unless this would exceed the limit. */
  boolean take(long bytes) {
    if (taken.addAndGet(bytes) > limit) {
      taken.addAndGet(-bytes);
      return false;
    }
    return true;
  }

  void giveBack(long bytes) {
    taken.addAndGet(-bytes);
  }

  long taken() {
    return taken.get();
  }
}

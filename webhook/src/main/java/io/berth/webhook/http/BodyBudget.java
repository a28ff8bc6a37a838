package io.berth.webhook.http;

import java.util.concurrent.atomic.AtomicLong;

/** The bytes that the bodies of all requests of a server may hold together. */
final class BodyBudget {
  private final long limit;
  private final AtomicLong taken = new AtomicLong();

  BodyBudget(long limit) {
    this.limit = limit;
  }

  /** Takes the bytes, unless the limit would be passed. */
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

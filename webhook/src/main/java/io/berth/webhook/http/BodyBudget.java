package io.berth.webhook.http;

import java.util.concurrent.atomic.AtomicLong;

/** The limit on the memory for the bodies of all requests of a server, in bytes. Thread-safe. */
final class BodyBudget {
  private final long limit;
  private final AtomicLong taken = new AtomicLong();

  BodyBudget(long limit) {
    this.limit = limit;
  }

  /** Reserves bytes; returns false, and reserves nothing, if this would exceed the limit. */
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

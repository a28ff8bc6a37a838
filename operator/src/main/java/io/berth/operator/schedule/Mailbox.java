package io.berth.operator.schedule;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The queue of messages to the engine: any thread posts, and one thread takes. The taking thread
 * parks while the queue is empty, and is woken by a post.
 */
final class Mailbox {

  private final ConcurrentLinkedQueue<Message> messages = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private volatile @Nullable Thread parked;

  void post(Message message) {
    messages.add(message);
    size.incrementAndGet();
    wake();
  }

  @Nullable Message poll() {
    Message message = messages.poll();
    if (message != null) {
      size.decrementAndGet();
    }
    return message;
  }

  /** Returns the approximate number of waiting messages. */
  int size() {
    return size.get();
  }

  /** Waits for a message until the timeout; may return early. Called only by the taking thread. */
  void await(long nanos) {
    parked = Thread.currentThread();
    try {
      if (messages.isEmpty()) {
        LockSupport.parkNanos(this, nanos);
      }
    } finally {
      parked = null;
    }
  }

  /** Wakes the taking thread. */
  void wake() {
    Thread thread = parked;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }
}

package io.berth.operator.schedule;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The only way to the engine: anybody posts, one thread takes. The taking thread parks when there
 * is nothing, and a post wakes it.
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

  /** About how many messages wait. */
  int size() {
    return size.get();
  }

  /** Waits for a message, at most so long; may return early. Only the taking thread calls this. */
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

  /** Makes the taking thread look again. */
  void wake() {
    Thread thread = parked;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }
}

package io.berth.operator.bind;

import io.berth.engine.Decision.Placed;
import io.berth.engine.PodRef;
import io.berth.operator.api.ApiCalls;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Binds pods to their nodes, with one Binding request each and many requests in flight. {@link
 * InFlightLimit} adapts their number to the server's response times.
 *
 * <p>Some pods are bound by external binders ({@link OtherBinder}). If one fails, the pod is read,
 * because it may have been bound even though the response was lost.
 */
public final class Binder {

  /** The maximum number of pods that external binders bind at a time. */
  private static final int MOST_WITH_OTHERS = 64;

  private final BindingCall.Surroundings surroundings;
  private final VolumePreparation volumes;
  private final OtherBinder others;
  private final BindingOutcomes outcomes;

  // Guarded by this.
  private final InFlightLimit limit;
  private final ArrayDeque<Placed> waiting = new ArrayDeque<>();
  private final Map<String, Placed> preparing = new HashMap<>();
  private final ArrayDeque<Placed> waitingForOthers = new ArrayDeque<>();
  private int withOthers;
  private int inFlight;
  private boolean full;
  private boolean closed;

  /**
   * @param volumes prepares a pod's volumes before its Binding is sent
   * @param others binds the pods that name an external binder
   * @param outcomes receives the result of each placement; must not block, because it is called on
   *     the thread that reads responses
   */
  public Binder(
      ApiCalls api, VolumePreparation volumes, OtherBinder others, BindingOutcomes outcomes) {
    this.volumes = volumes;
    this.others = others;
    this.outcomes = outcomes;
    this.limit = new InFlightLimit(32, 4, 256);
    this.surroundings =
        new BindingCall.Surroundings(
            api, outcomes, new RefusalLog(System::nanoTime), this::answered);
  }

  /**
   * Accepts a placement; does not block. After {@link #close} the placement is dropped, because its
   * engine has ended too.
   */
  public void bind(Placed placed) {
    if (placed.preBind().isEmpty()) {
      prepared(placed);
      return;
    }
    synchronized (this) {
      if (closed) {
        return;
      }
      preparing.put(placed.pod().uid(), placed);
    }
    // Volume preparation can take minutes, so it does not count toward the requests in flight.
    volumes.prepare(
        placed,
        () -> isPreparing(placed),
        () -> {
          if (endPreparation(placed)) {
            prepared(placed);
          }
        },
        reason -> {
          if (endPreparation(placed)) {
            outcomes.failed(placed, "preparing the Binding: " + reason, true);
          }
        });
  }

  /**
   * Cancels a placement while its volumes are being prepared, so that the pod is scheduled again.
   *
   * @return false if its Binding may have been sent already; then nothing has changed
   */
  public boolean cancelPreparation(PodRef pod, String reason) {
    Placed placed;
    synchronized (this) {
      placed = preparing.remove(pod.uid());
    }
    if (placed == null) {
      return false;
    }
    outcomes.failed(placed, reason, true);
    return true;
  }

  private synchronized boolean isPreparing(Placed placed) {
    return placed.equals(preparing.get(placed.pod().uid()));
  }

  private synchronized boolean endPreparation(Placed placed) {
    return preparing.remove(placed.pod().uid(), placed);
  }

  /** Continues with the Binding, now that its preparation is complete. */
  private void prepared(Placed placed) {
    if (placed.binder().isEmpty()) {
      admit(placed);
      return;
    }
    synchronized (this) {
      if (closed) {
        return;
      }
      if (withOthers >= MOST_WITH_OTHERS) {
        waitingForOthers.add(placed);
        return;
      }
      withOthers++;
    }
    handOver(placed);
  }

  /**
   * Passes a pod to its external binder. It may be slow, so the pod does not count toward the
   * requests in flight.
   */
  private void handOver(Placed placed) {
    BindingCall call = new BindingCall(surroundings, placed, this::takenBack);
    others.bind(
        placed,
        result -> {
          switch (result) {
            case OtherBinder.Bound _ -> call.bound();
            case OtherBinder.Failed(String why) -> call.ask(why);
            case OtherBinder.PassedOver _ -> {
              takenBack();
              admit(placed);
            }
          }
        });
  }

  private void takenBack() {
    Placed next;
    synchronized (this) {
      next = closed ? null : waitingForOthers.poll();
      if (next == null) {
        withOthers--;
        notifyAll();
      }
    }
    if (next != null) {
      handOver(next);
    }
  }

  private void admit(Placed placed) {
    synchronized (this) {
      if (closed) {
        return;
      }
      if (inFlight >= limit.current()) {
        full = true;
        waiting.add(placed);
        return;
      }
      inFlight++;
    }
    start(placed);
  }

  /**
   * Returns whether another placement would be sent soon; decisions that wait long before they are
   * sent become stale.
   */
  public synchronized boolean hasRoom() {
    return waiting.size() < 2 * limit.current();
  }

  /** The number of placements that were accepted and have not completed. */
  public synchronized int pending() {
    return waiting.size() + inFlight + waitingForOthers.size() + withOthers;
  }

  /** Returns the number of requests that may be in flight now. */
  public synchronized int inFlightLimit() {
    return limit.current();
  }

  /** Drops waiting placements; requests in flight still complete. */
  public void close() {
    synchronized (this) {
      closed = true;
      waiting.clear();
      waitingForOthers.clear();
      preparing.clear();
    }
  }

  /**
   * Waits until no request is in flight.
   *
   * @return whether that happened before the timeout
   */
  public synchronized boolean awaitQuiet(Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (inFlight + withOthers > 0) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return true;
  }

  private void start(Placed placed) {
    new BindingCall(surroundings, placed, this::release).send();
  }

  private void release() {
    Placed next;
    synchronized (this) {
      next = inFlight <= limit.current() ? waiting.poll() : null;
      if (next == null) {
        inFlight--;
        full &= inFlight >= limit.current();
        notifyAll();
      }
    }
    if (next != null) {
      start(next);
      startMore();
    }
  }

  /** Fills the slots that are free after the limit has grown. */
  private void startMore() {
    while (true) {
      Placed next;
      synchronized (this) {
        next = inFlight < limit.current() ? waiting.poll() : null;
        if (next == null) {
          return;
        }
        inFlight++;
      }
      start(next);
    }
  }

  private synchronized void answered(boolean trouble, long tookNanos) {
    if (trouble) {
      limit.failed();
    } else {
      limit.succeeded(tookNanos, full);
    }
  }
}

package io.berth.operator.bind;

import io.berth.engine.api.Decision.Placed;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.DeferredTask;
import io.berth.operator.api.FairSlots;
import io.berth.operator.api.FairSlots.Slot;
import io.berth.operator.api.LimitedLog;
import io.berth.operator.api.Timing;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Binds pods to their nodes, with one Binding request each and many requests in flight. {@link
 * InFlightLimit} adapts their number to the server's response times, and {@link FairSlots} keeps
 * the Bindings of a namespace whose admission webhooks are slow from delaying others.
 *
 * <p>Some pods are bound by external binders ({@link OtherBinder}). If one fails, the pod is read,
 * because it may have been bound even though the response was lost.
 */
public final class Binder {

  /** The maximum number of pods that external binders bind at a time. */
  private static final int MOST_WITH_OTHERS = 64;

  /** The maximum number of Bindings of a slow namespace that wait; others fail at once. */
  private static final int MOST_WAITING_WHILE_SLOW = 128;

  /**
   * The time after a good answer that is no matter of a slow namespace, during which the answers of
   * slow namespaces say nothing about the server.
   */
  private static final long SERVER_IS_WELL_NANOS = Duration.ofSeconds(10).toNanos();

  private final Timing timing;
  private final BindingCall.Surroundings surroundings;
  private final VolumePreparation volumes;
  private final OtherBinder others;
  private final BindingOutcomes outcomes;

  private final DeferredTask lookAgain;

  // Guarded by this.
  private final InFlightLimit limit;
  private final FairSlots<BindingCall> slots = new FairSlots<>();
  private final Map<String, Placed> preparing = new HashMap<>();
  private final ArrayDeque<Placed> waitingForOthers = new ArrayDeque<>();
  private int withOthers;

  /** The number of calls that wait, are under way, or pause. */
  private int calls;

  private long lastQuickAnswer;
  private boolean full;
  private boolean closed;

  /**
   * @param volumes prepares a pod's volumes before its Binding is sent
   * @param others binds the pods that name an external binder
   * @param nodeExists returns whether a node of this name exists
   * @param outcomes receives the result of each placement; must not block, because it is called on
   *     the thread that reads responses
   */
  public Binder(
      ApiCalls api,
      VolumePreparation volumes,
      OtherBinder others,
      Predicate<String> nodeExists,
      BindingOutcomes outcomes) {
    this.timing = api;
    this.lastQuickAnswer = api.nanoTime() - SERVER_IS_WELL_NANOS;
    this.volumes = volumes;
    this.others = others;
    this.outcomes = new SettledOutcomes(outcomes, volumes);
    this.lookAgain = new DeferredTask(api, this::lookAgain);
    this.limit = new InFlightLimit(32, 4, 256);
    this.surroundings =
        new BindingCall.Surroundings(
            api, nodeExists, this.outcomes, new LimitedLog(api::nanoTime), new CallQueue());
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
            outcomes.prepared(placed);
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
    if (!surroundings.nodeExists().test(placed.nodeName())) {
      begin(placed).ifPresent(BindingCall::endWithoutNode);
      takenBack();
      return;
    }
    others.bind(
        placed,
        result -> {
          switch (result) {
            case OtherBinder.Bound _ -> begin(placed).ifPresent(BindingCall::bound);
            case OtherBinder.Failed(String why) ->
                begin(placed).ifPresent(call -> enqueue(call.asking(why)));
            case OtherBinder.PassedOver _ -> admit(placed);
          }
          takenBack();
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

  /** Returns a new call; empty after {@link #close}. */
  private synchronized Optional<BindingCall> begin(Placed placed) {
    if (closed) {
      return Optional.empty();
    }
    calls++;
    return Optional.of(new BindingCall(surroundings, placed));
  }

  private void admit(Placed placed) {
    String namespace = placed.pod().namespace();
    int ahead;
    synchronized (this) {
      ahead = slots.isSlow(namespace) && isServerWell() ? slots.waitingOf(namespace) : 0;
    }
    if (ahead >= MOST_WAITING_WHILE_SLOW) {
      outcomes.failed(
          placed,
          "Bindings in namespace %s are answered slowly or fail in admission, and %d of them are waiting: check the admission webhooks for pods/binding"
              .formatted(namespace, MOST_WAITING_WHILE_SLOW),
          true);
      return;
    }
    begin(placed).ifPresent(this::enqueue);
  }

  private void enqueue(BindingCall call) {
    synchronized (this) {
      slots.add(call.namespace(), call);
    }
    pump();
  }

  /** Sends the requests that may be sent now. */
  private void pump() {
    while (true) {
      Slot<BindingCall> next;
      synchronized (this) {
        long now = timing.nanoTime();
        next = slots.next(limit.current(), isServerWell(), now);
        if (next == null) {
          full |= slots.quickWaiting() > 0;
          // A slot is also free once the namespaces that hold it have become slow.
          slots.untilNextIsSlow(now).ifPresent(lookAgain::runAfter);
          return;
        }
      }
      BindingCall call = next.request();
      if (call.lacksNode()) {
        synchronized (this) {
          slots.ended(next, FairSlots.Response.NOT_SENT, timing.nanoTime());
        }
        call.endWithoutNode();
      } else {
        call.proceed(next);
      }
    }
  }

  private void lookAgain() {
    pump();
    if (hasRoom()) {
      outcomes.hasRoomAgain();
    }
  }

  /**
   * Returns whether another placement would be sent soon; decisions that wait long before they are
   * sent become stale.
   */
  public synchronized boolean hasRoom() {
    int waiting = isServerWell() ? slots.quickWaiting() : slots.waiting();
    return waiting < 2 * limit.current();
  }

  /**
   * Records that the server has answered a write that no tenant can delay, such as the renewal of a
   * Lease.
   *
   * @param took its response time
   */
  public synchronized void serverAnswered(Duration took) {
    if (took.compareTo(FairSlots.SLOW) < 0) {
      lastQuickAnswer = timing.nanoTime();
    }
  }

  /** Returns whether the server has answered others than slow namespaces quickly of late. */
  private boolean isServerWell() {
    return timing.nanoTime() - lastQuickAnswer < SERVER_IS_WELL_NANOS;
  }

  /** The number of placements that were accepted and have not completed. */
  public synchronized int pending() {
    return calls + waitingForOthers.size() + withOthers;
  }

  /**
   * Returns whether Bindings wait or are under way, except those of namespaces that are slow: these
   * can last for as long as their admission webhooks do.
   */
  public synchronized boolean isBinding() {
    return slots.quickWaiting() + slots.quickUnderWay() > 0;
  }

  /** Returns the number of requests that may be in flight now. */
  public synchronized int inFlightLimit() {
    return limit.current();
  }

  /** Drops waiting placements; requests in flight still complete. */
  public void close() {
    synchronized (this) {
      closed = true;
      calls -= slots.drop(BindingCall::isNew).size();
      waitingForOthers.clear();
      preparing.clear();
      notifyAll();
    }
  }

  /**
   * Waits until all calls have completed.
   *
   * @return whether that happened before the timeout
   */
  public synchronized boolean awaitQuiet(Duration atMost) throws InterruptedException {
    long deadline = timing.nanoTime() + atMost.toNanos();
    while (calls - slots.waiting() + withOthers > 0) {
      long left = deadline - timing.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return true;
  }

  private final class CallQueue implements BindingCall.Queue {
    @Override
    public void released(Slot<BindingCall> slot, Answer answer, boolean binding) {
      FairSlots.Response response = FairSlots.Response.of(answer);
      synchronized (Binder.this) {
        long now = timing.nanoTime();
        slots.ended(slot, response, now);
        if (binding && response != FairSlots.Response.NOT_SENT) {
          boolean trouble = response == FairSlots.Response.SERVER_FAILED;
          answered(slots.isSlow(slot.request().namespace()), trouble, now - slot.startedAt(), now);
        }
        full &= slots.quickUnderWay() >= limit.current();
        Binder.this.notifyAll();
      }
      pump();
    }

    @Override
    public void again(BindingCall call) {
      synchronized (Binder.this) {
        slots.addFirst(call.namespace(), call);
      }
      pump();
    }

    @Override
    public void ended(BindingCall call) {
      synchronized (Binder.this) {
        calls--;
        Binder.this.notifyAll();
      }
    }
  }

  /**
   * Adapts the limit to an answer, unless it says more about its namespace than about the server.
   */
  private void answered(boolean slowNamespace, boolean trouble, long tookNanos, long now) {
    if (slowNamespace && isServerWell()) {
      return;
    }
    if (trouble) {
      limit.failed();
      return;
    }
    if (!slowNamespace) {
      lastQuickAnswer = now;
    }
    limit.succeeded(tookNanos, full);
  }
}

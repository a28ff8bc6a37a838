package io.berth.operator.api;

import io.berth.operator.api.FairSlots.Slot;
import java.util.function.Consumer;

/**
 * Requests about the objects of namespaces, of which a bounded number is under way. Namespaces take
 * turns, and one whose admission webhooks are slow delays no other ({@link FairSlots}).
 */
public final class FairCalls {

  private static final int IN_FLIGHT = 32;

  private final ApiCalls api;
  private final DeferredTask sendMore;

  // Guarded by this.
  private final FairSlots<Waiting> slots = new FairSlots<>();

  /** A request that is sent when there is a slot for it. */
  public interface Request {
    /** Sends the request; it is answered once. */
    void send(ApiCalls api, Consumer<Answer> then);
  }

  private record Waiting(Request request, Consumer<Answer> then) {}

  public FairCalls(ApiCalls api) {
    this.api = api;
    this.sendMore = new DeferredTask(api, this::sendWaiting);
  }

  /**
   * Sends a request as soon as it is the turn of its namespace.
   *
   * @param namespace the namespace whose admission webhooks the server may call
   * @param then receives the answer, as from {@link ApiCalls}
   */
  public void send(String namespace, Request request, Consumer<Answer> then) {
    synchronized (this) {
      slots.add(namespace, new Waiting(request, then));
    }
    sendWaiting();
  }

  private void sendWaiting() {
    while (true) {
      Slot<Waiting> next;
      synchronized (this) {
        long now = api.nanoTime();
        next = slots.next(IN_FLIGHT, now);
        if (next == null) {
          // A slot is also free once the namespaces that hold it have become slow.
          slots.untilNextIsSlow(now).ifPresent(sendMore::runAfter);
          return;
        }
      }
      next.request().request().send(api, new Receiver(next));
    }
  }

  private final class Receiver implements Consumer<Answer> {
    private final Slot<Waiting> slot;

    Receiver(Slot<Waiting> slot) {
      this.slot = slot;
    }

    @Override
    public void accept(Answer answer) {
      FairSlots.Response response = FairSlots.Response.of(answer);
      synchronized (FairCalls.this) {
        slots.ended(slot, response, api.nanoTime());
      }
      sendWaiting();
      slot.request().then().accept(answer);
    }
  }
}

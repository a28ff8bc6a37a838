package io.berth.operator.api;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The requests that wait to be sent, and those under way, such that no namespace delays the others
 * for long. The namespaces take turns. A namespace is slow while one of its requests has been under
 * way for {@link #SLOW}, or its last answers took that long or were failures of admission: the
 * admission webhooks of a namespace can be slow or broken while the API server is well, and
 * requests that they fail are soon repeated. The requests of slow namespaces do not take the slots
 * of others. They share half as many slots of their own, and one namespace gets a quarter of those.
 *
 * <p>Not thread-safe: its owner guards it. Times are in nanoseconds, of a clock like {@link
 * System#nanoTime}.
 *
 * @param <R> the type of a request
 */
public final class FairSlots<R> {

  /** The time after which a request without an answer counts as slow. */
  public static final Duration SLOW = Duration.ofSeconds(1);

  /** The meaning of the response to a request for its namespace. */
  public enum Response {
    /** The server has executed or rejected the request. */
    ANSWERED,

    /** An admission webhook could not be called, or did not answer in time. */
    ADMISSION_FAILED,

    /** The server throttles, has failed itself, or did not answer. */
    SERVER_FAILED,

    /** No request was sent. */
    NOT_SENT;

    /** Returns the meaning of an answer. */
    public static Response of(Answer answer) {
      if (answer.wasNotSent()) {
        return NOT_SENT;
      }
      if (answer.throttled()) {
        return SERVER_FAILED;
      }
      if (answer.ambiguous()) {
        return answer.isFailureOfAdmission() ? ADMISSION_FAILED : SERVER_FAILED;
      }
      return ANSWERED;
    }
  }

  /** The number of quick answers in a row after which a namespace is no longer slow. */
  private static final int QUICK_ANSWERS = 8;

  /** The time after which an idle namespace is no longer slow. */
  private static final long REMEMBERED_NANOS = Duration.ofMinutes(1).toNanos();

  private static final int LEAST_SLOW_SLOTS = 4;
  private static final int LEAST_SLOTS_OF_SLOW_NAMESPACE = 2;

  private final Map<String, Lane<R>> lanes = new HashMap<>();

  /** The namespaces with waiting requests, in the order of their turns. */
  private final ArrayDeque<Lane<R>> quickTurns = new ArrayDeque<>();

  private final ArrayDeque<Lane<R>> slowTurns = new ArrayDeque<>();

  /** The requests under way that are not known to be slow, the oldest first. */
  private final ArrayDeque<Slot<R>> young = new ArrayDeque<>();

  private int quickUnderWay;
  private int slowUnderWay;
  private int quickWaiting;
  private int slowWaiting;
  private long forgottenAt;

  /** The requests of one namespace. */
  private static final class Lane<R> {
    final String namespace;
    final ArrayDeque<R> waiting = new ArrayDeque<>();
    int underWay;

    /** The number of requests under way that are known to be slow. */
    int overdue;

    boolean slow;
    int quickAnswers;
    long lastAnswerAt;

    Lane(String namespace) {
      this.namespace = namespace;
    }

    boolean isIdle() {
      return underWay == 0 && waiting.isEmpty();
    }
  }

  /** A request under way. */
  public static final class Slot<R> {
    private final Lane<R> lane;
    private final R request;
    private final long startedAt;
    private boolean overdue;
    private boolean ended;

    private Slot(Lane<R> lane, R request, long startedAt) {
      this.lane = lane;
      this.request = request;
      this.startedAt = startedAt;
    }

    public R request() {
      return request;
    }

    /** The time at which the request was taken from the queue. */
    public long startedAt() {
      return startedAt;
    }
  }

  /** Adds a request behind those of its namespace. */
  public void add(String namespace, R request) {
    Lane<R> lane = laneOf(namespace);
    lane.waiting.addLast(request);
    added(lane);
  }

  /** Adds a request before those of its namespace, as for one that is repeated. */
  public void addFirst(String namespace, R request) {
    Lane<R> lane = laneOf(namespace);
    lane.waiting.addFirst(request);
    added(lane);
  }

  private Lane<R> laneOf(String namespace) {
    return lanes.computeIfAbsent(namespace, Lane::new);
  }

  private void added(Lane<R> lane) {
    if (lane.slow) {
      slowWaiting++;
    } else {
      quickWaiting++;
    }
    if (lane.waiting.size() == 1) {
      turnsOf(lane).addLast(lane);
    }
  }

  private ArrayDeque<Lane<R>> turnsOf(Lane<R> lane) {
    return lane.slow ? slowTurns : quickTurns;
  }

  /**
   * Takes the next request that may be sent now.
   *
   * @param limit the number of slots of the namespaces that are not slow
   * @return null if none may be sent now
   */
  public @Nullable Slot<R> next(int limit, long now) {
    return next(limit, true, now);
  }

  /**
   * Takes the next request that may be sent now.
   *
   * @param limit the number of slots of the namespaces that are not slow
   * @param serverIsWell whether namespaces are slow on their own account; if the server itself is
   *     slow, they get as many slots as the others
   * @return null if none may be sent now
   */
  public @Nullable Slot<R> next(int limit, boolean serverIsWell, long now) {
    findOverdue(now);
    forgetIdle(now);
    Lane<R> lane = quickUnderWay < limit ? quickTurns.pollFirst() : null;
    if (lane == null) {
      int slots = Math.max(LEAST_SLOW_SLOTS, limit / 2);
      lane =
          serverIsWell
              ? nextSlow(slots, Math.max(LEAST_SLOTS_OF_SLOW_NAMESPACE, slots / 4))
              : nextSlow(limit, limit);
    }
    return lane == null ? null : start(lane, now);
  }

  private @Nullable Lane<R> nextSlow(int slots, int perNamespace) {
    for (int i = slowTurns.size(); i > 0 && slowUnderWay < slots; i--) {
      Lane<R> lane = slowTurns.removeFirst();
      if (lane.underWay < perNamespace) {
        return lane;
      }
      slowTurns.addLast(lane);
    }
    return null;
  }

  private Slot<R> start(Lane<R> lane, long now) {
    Slot<R> slot = new Slot<>(lane, lane.waiting.removeFirst(), now);
    lane.underWay++;
    if (lane.slow) {
      slowWaiting--;
      slowUnderWay++;
    } else {
      quickWaiting--;
      quickUnderWay++;
    }
    if (!lane.waiting.isEmpty()) {
      turnsOf(lane).addLast(lane);
    }
    young.addLast(slot);
    return slot;
  }

  private void findOverdue(long now) {
    for (Slot<R> slot = young.peekFirst();
        slot != null && (slot.ended || now - slot.startedAt >= SLOW.toNanos());
        slot = young.peekFirst()) {
      young.removeFirst();
      if (!slot.ended) {
        slot.overdue = true;
        slot.lane.overdue++;
        becomesSlow(slot.lane);
      }
    }
  }

  /** Frees the slot of a request. */
  public void ended(Slot<R> slot, Response response, long now) {
    Lane<R> lane = slot.lane;
    slot.ended = true;
    lane.underWay--;
    lane.lastAnswerAt = now;
    if (lane.slow) {
      slowUnderWay--;
    } else {
      quickUnderWay--;
    }
    if (slot.overdue) {
      lane.overdue--;
    }
    if (response == Response.ADMISSION_FAILED || now - slot.startedAt >= SLOW.toNanos()) {
      becomesSlow(lane);
    } else if (response == Response.ANSWERED) {
      lane.quickAnswers++;
      if (lane.slow && lane.overdue == 0 && lane.quickAnswers >= QUICK_ANSWERS) {
        move(lane, false);
      }
    }
    if (!lane.slow && lane.isIdle()) {
      lanes.remove(lane.namespace);
    }
  }

  private void becomesSlow(Lane<R> lane) {
    lane.quickAnswers = 0;
    if (!lane.slow) {
      move(lane, true);
    }
  }

  private void move(Lane<R> lane, boolean slow) {
    boolean waits = !lane.waiting.isEmpty() && turnsOf(lane).remove(lane);
    int sign = slow ? 1 : -1;
    slowUnderWay += sign * lane.underWay;
    quickUnderWay -= sign * lane.underWay;
    slowWaiting += sign * lane.waiting.size();
    quickWaiting -= sign * lane.waiting.size();
    lane.slow = slow;
    if (waits) {
      turnsOf(lane).addLast(lane);
    }
  }

  private void forgetIdle(long now) {
    if (now - forgottenAt < REMEMBERED_NANOS) {
      return;
    }
    forgottenAt = now;
    lanes.values().removeIf(lane -> lane.isIdle() && now - lane.lastAnswerAt >= REMEMBERED_NANOS);
  }

  /**
   * Returns the time until {@link #next} may return a request without a freed slot, because others
   * have become slow; empty if no request waits for that.
   */
  public Optional<Duration> untilNextIsSlow(long now) {
    Slot<R> oldest = young.peekFirst();
    while (oldest != null && oldest.ended) {
      young.removeFirst();
      oldest = young.peekFirst();
    }
    return oldest == null || quickWaiting == 0
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(Math.max(0, SLOW.toNanos() - (now - oldest.startedAt))));
  }

  /** Drops waiting requests, and returns them. */
  public List<R> drop(Predicate<R> which) {
    List<R> dropped = new ArrayList<>();
    for (Lane<R> lane : lanes.values()) {
      int before = lane.waiting.size();
      for (Iterator<R> waiting = lane.waiting.iterator(); waiting.hasNext(); ) {
        R request = waiting.next();
        if (which.test(request)) {
          waiting.remove();
          dropped.add(request);
        }
      }
      int gone = before - lane.waiting.size();
      if (lane.slow) {
        slowWaiting -= gone;
      } else {
        quickWaiting -= gone;
      }
      if (gone > 0 && lane.waiting.isEmpty()) {
        turnsOf(lane).remove(lane);
      }
    }
    return dropped;
  }

  /** Returns whether the namespace is slow. */
  public boolean isSlow(String namespace) {
    Lane<R> lane = lanes.get(namespace);
    return lane != null && lane.slow;
  }

  /** Returns the number of waiting requests of the namespace. */
  public int waitingOf(String namespace) {
    Lane<R> lane = lanes.get(namespace);
    return lane == null ? 0 : lane.waiting.size();
  }

  /** Returns the number of waiting requests of the namespaces that are not slow. */
  public int quickWaiting() {
    return quickWaiting;
  }

  /** Returns the number of all waiting requests. */
  public int waiting() {
    return quickWaiting + slowWaiting;
  }

  /** Returns the number of requests under way of the namespaces that are not slow. */
  public int quickUnderWay() {
    return quickUnderWay;
  }

  /** Returns the number of all requests under way. */
  public int underWay() {
    return quickUnderWay + slowUnderWay;
  }
}

package io.berth.operator.whatif;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.whatif.Mirror;
import io.berth.operator.feed.EventReceipt;
import io.berth.operator.feed.Subscription;
import io.berth.operator.schedule.EngineFeed;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of a mirror: it keeps the mirror up to date with the feed, and answers one question at
 * a time. The mirror exists while questions are asked: it is built for the first one, and dropped
 * when none has come for {@link #KEPT}.
 */
public final class MirrorThread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MirrorThread.class);

  /** The time for which a mirror is kept up to date after the last question. */
  static final Duration KEPT = Duration.ofMinutes(5);

  /** The longest time for one answer; an answer that takes longer is cut. */
  public static final Duration ANSWER = Duration.ofSeconds(10);

  /** The longest time that a question waits for its answer; API servers wait 60 s. */
  public static final Duration PATIENCE = Duration.ofSeconds(40);

  /** The time between two looks for events while there is no question. */
  private static final Duration TAKE_EVERY = Duration.ofMillis(500);

  private static final int MOST_WAITING = 32;

  /** A user with one question that is answered and one that waits delays others by two answers. */
  static final int MOST_OF_USER = 2;

  private final EngineFeed feed;
  private final Supplier<Mirror> mirrors;
  private final Clock clock;
  private final Duration patience;
  private final BlockingQueue<Runnable> questions = new ArrayBlockingQueue<>(MOST_WAITING);
  private final Map<String, Integer> ofUsers = new HashMap<>();
  private final Thread thread;
  private volatile boolean closed;

  // Confined to the thread.
  private @Nullable Fed fed;
  private long lastAskedNanos = System.nanoTime();

  /** A mirror with its inbox. */
  private static final class Fed implements EngineFeed.Subscriber {
    final Mirror mirror;
    final ConcurrentLinkedQueue<ClusterEvent> inbox = new ConcurrentLinkedQueue<>();
    @Nullable Subscription subscription;

    Fed(Mirror mirror) {
      this.mirror = mirror;
    }

    @Override
    public void post(ClusterEvent event) {
      inbox.add(event);
    }

    @Override
    public void post(ClusterEvent event, Consumer<EventReceipt> receipt) {
      inbox.add(event); // the receipt is for the engine that schedules
    }
  }

  /** A question about the state of a mirror; it leaves the mirror as it was. */
  @FunctionalInterface
  public interface Question<T> {
    /**
     * Returns the answer.
     *
     * @param expired returns whether the time for the answer has run out
     */
    T answer(Mirror mirror, BooleanSupplier expired);
  }

  /** Prepares a question. */
  @FunctionalInterface
  public interface Preparation<T> {
    /**
     * Returns the question.
     *
     * @throws InterruptedException if interrupted while waiting
     */
    Question<T> prepare() throws InterruptedException;
  }

  /**
   * Starts the thread, without a mirror.
   *
   * @param mirrors creates an empty mirror
   */
  public MirrorThread(EngineFeed feed, Supplier<Mirror> mirrors, Clock clock) {
    this(feed, mirrors, clock, PATIENCE);
  }

  /**
   * @param patience the longest time that a question waits for its answer
   */
  MirrorThread(EngineFeed feed, Supplier<Mirror> mirrors, Clock clock, Duration patience) {
    this.patience = patience;
    this.feed = feed;
    this.mirrors = mirrors;
    this.clock = clock;
    this.thread = Thread.ofPlatform().name("what-if").daemon().unstarted(this::run);
    this.thread.start();
  }

  /**
   * Answers a question on the current state.
   *
   * @param user who asks; each user may have {@link #MOST_OF_USER} questions at a time
   * @throws MirrorBusyException if too many questions are waiting, or the answer takes too long
   * @throws InterruptedException if interrupted while waiting
   * @throws RuntimeException if the answer failed
   */
  public <T> T ask(String user, Question<T> question)
      throws MirrorBusyException, InterruptedException {
    return askPrepared(user, () -> question);
  }

  /**
   * Prepares a question on the calling thread, and answers it. A user's questions in preparation
   * count as well.
   *
   * @param user who asks; each user may have {@link #MOST_OF_USER} questions at a time
   * @throws MirrorBusyException if too many questions are waiting, or the answer takes too long
   * @throws InterruptedException if interrupted while waiting
   * @throws RuntimeException if the answer failed
   */
  public <T> T askPrepared(String user, Preparation<T> preparation)
      throws MirrorBusyException, InterruptedException {
    take(user);
    try {
      Question<T> question = preparation.prepare();
      CompletableFuture<T> answer = new CompletableFuture<>();
      Runnable waiting = () -> answer(question, answer);
      if (!questions.offer(waiting)) {
        throw new MirrorBusyException(
            false, "too many reviews are waiting at this replica; try again in a few seconds");
      }
      try {
        return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
      } finally {
        answer.cancel(false); // nobody waits for it any more
        questions.remove(waiting);
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failure
          ? failure
          : new IllegalStateException("the review failed", e.getCause());
    } catch (TimeoutException e) {
      throw new MirrorBusyException(
          false, "the review was not answered within " + patience.toSeconds() + " s; try again");
    } finally {
      giveBack(user);
    }
  }

  private synchronized void take(String user) throws MirrorBusyException {
    int asked = ofUsers.getOrDefault(user, 0);
    if (asked >= MOST_OF_USER) {
      throw new MirrorBusyException(
          true,
          "%s has %d reviews in progress, the most that one user may have; wait for their answers"
              .formatted(user, asked));
    }
    ofUsers.put(user, asked + 1);
  }

  private synchronized void giveBack(String user) {
    ofUsers.computeIfPresent(user, (name, asked) -> asked == 1 ? null : asked - 1);
  }

  /** Returns how many questions of a user are answered or wait. */
  synchronized int inProgress(String user) {
    return ofUsers.getOrDefault(user, 0);
  }

  /** Answers a question, as long as somebody waits for the answer. */
  private <T> void answer(Question<T> question, CompletableFuture<T> answer) {
    if (answer.isDone()) {
      return;
    }
    lastAskedNanos = System.nanoTime();
    try {
      Fed current = upToDate();
      long end = System.nanoTime() + ANSWER.toNanos();
      answer.complete(
          question.answer(
              current.mirror, () -> closed || answer.isDone() || System.nanoTime() - end >= 0));
    } catch (RuntimeException | Error e) {
      LOG.error("A review failed; the mirror is dropped, and the next review builds another", e);
      drop();
      answer.completeExceptionally(e);
    }
  }

  private void run() {
    while (!closed) {
      try {
        Runnable question = questions.poll(TAKE_EVERY.toMillis(), TimeUnit.MILLISECONDS);
        if (question != null) {
          question.run();
        } else if (System.nanoTime() - lastAskedNanos > KEPT.toNanos()) {
          drop();
        } else if (fed != null) {
          takeEvents(fed);
        }
      } catch (InterruptedException e) {
        closed = true;
      } catch (RuntimeException | Error e) {
        LOG.error("The mirror for reviews failed; the next review builds another", e);
        drop();
      }
    }
    drop();
  }

  private Fed upToDate() {
    Fed current = fed;
    if (current == null) {
      current = new Fed(mirrors.get());
      fed = current;
      current.subscription = feed.subscribe(current);
    }
    takeEvents(current);
    return current;
  }

  private void takeEvents(Fed current) {
    ClusterEvent event = current.inbox.poll();
    while (event != null) {
      current.mirror.apply(event, clock.instant());
      event = current.inbox.poll();
    }
  }

  private void drop() {
    Fed current = fed;
    fed = null;
    if (current != null && current.subscription != null) {
      current.subscription.close();
    }
  }

  /** Ends the thread; questions that wait are not answered. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}

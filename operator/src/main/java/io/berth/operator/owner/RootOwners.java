package io.berth.operator.owner;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.operator.feed.ClusterFeed;
import io.berth.webhook.binding.Controller;
import io.berth.webhook.binding.LookupAllowance;
import io.berth.webhook.binding.Owner;
import io.berth.webhook.binding.OwnerLookup;
import io.berth.webhook.binding.OwnerNames;
import io.berth.webhook.binding.OwnerSize;
import io.berth.webhook.binding.PodSubject;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The root owners of the cluster's objects: owner references are followed through the watched
 * objects, and through reads of single objects that are not watched.
 *
 * <p>(1) Objects that were read are cached by their full reference, because an object does not
 * change its controller. (2) After a failed read, no reads are sent for {@link #PAUSE}, so that a
 * slow API server delays few reviews. (3) Until an owner is known, it is derived from its name;
 * {@link #corrections} counts the answers that turn out to be different.
 */
public final class RootOwners implements OwnerLookup {

  /** The time that a review may wait for the owner of its pod. */
  static final Duration PATIENCE = Duration.ofMillis(300);

  /** The time without reads after one that failed. */
  static final Duration PAUSE = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger(RootOwners.class);
  private static final long LOG_EVERY_NANOS = Duration.ofMinutes(1).toNanos();
  private static final int LONGEST_CHAIN = 8;
  private static final int AT_ONCE = 16;
  private static final int MOST_WAITING = 10_000;

  private final ClusterFeed feed;
  private final BiFunction<String, Controller, CompletableFuture<Optional<Link>>> read;
  private final WorkloadSizes sizes;
  private final RememberedLinks remembered = new RememberedLinks();
  private final Map<String, CompletableFuture<Link>> underWay = new ConcurrentHashMap<>();
  private final Set<String> waiting = ConcurrentHashMap.newKeySet();
  private final Semaphore turns = new Semaphore(AT_ONCE);
  private final AtomicLong corrections = new AtomicLong();
  private final AtomicLong mayLog = new AtomicLong(System.nanoTime());
  private volatile long mayRead = System.nanoTime();

  /** The result of following an owner chain. */
  private sealed interface Walk {
    /** The chain was followed to its end. */
    record Ended(Owner root) implements Walk {}

    /** The next object in the chain is not known yet. */
    record Stopped(Controller at) implements Walk {}
  }

  /**
   * @param read reads an object in the chain; empty if it was deleted
   * @param readWhole reads the object at a path; empty if it does not exist
   */
  RootOwners(
      ClusterFeed feed,
      BiFunction<String, Controller, CompletableFuture<Optional<Link>>> read,
      Function<String, CompletableFuture<Optional<JsonNode>>> readWhole) {
    this.feed = feed;
    this.read = read;
    this.sizes =
        new WorkloadSizes(
            readWhole,
            (namespace, driver) ->
                seen(FollowedKind.POD, namespace, driver).flatMap(Link::controller));
  }

  /** Returns the owners of the watched objects, with reads through this client. */
  public static RootOwners of(KubernetesClient client, ClusterFeed feed) {
    OwnerReading reading = new OwnerReading(client);
    return new RootOwners(feed, reading::read, reading::readWhole);
  }

  @Override
  public Owner root(String namespace, Controller controller, Map<String, String> podLabels) {
    return switch (walk(namespace, controller)) {
      case Walk.Ended(Owner root) -> root;
      case Walk.Stopped(Controller at) -> {
        Owner guess = OwnerNames.root(at, podLabels);
        learnLater(namespace, at, guess);
        yield guess;
      }
    };
  }

  @Override
  public Optional<String> learn(String namespace, Controller controller) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (walk(namespace, controller) instanceof Walk.Stopped(Controller at)) {
      if (mayRead - System.nanoTime() > 0) {
        return Optional.of("a recent read of an owner failed");
      }
      if (!LookupAllowance.ofThisThread().take()) {
        return Optional.of(LookupAllowance.USED_UP);
      }
      String failure;
      try {
        ask(namespace, at).get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        continue;
      } catch (TimeoutException e) {
        failure = "no answer within " + PATIENCE.toMillis() + " ms";
      } catch (ExecutionException e) {
        failure = String.valueOf(e.getCause().getMessage());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return Optional.of("Berth is shutting down");
      }
      mayRead = System.nanoTime() + PAUSE.toNanos();
      String what = at.kind() + " " + namespace + "/" + at.name() + ": " + failure;
      log(what);
      return Optional.of(what);
    }
    return Optional.empty();
  }

  @Override
  public Optional<OwnerSize> size(PodSubject pod) {
    return sizes.size(pod);
  }

  @Override
  public Optional<String> learnSize(PodSubject pod) {
    return sizes.learn(pod);
  }

  @Override
  public long corrections() {
    return corrections.get();
  }

  private Walk walk(String namespace, Controller from) {
    Controller at = from;
    for (int step = 0; step < LONGEST_CHAIN; step++) {
      Optional<FollowedKind> kind = FollowedKind.of(at);
      if (kind.isEmpty()) {
        return new Walk.Ended(at.asOwner());
      }
      Optional<Link> link = known(kind.get(), namespace, at);
      if (link.isEmpty()) {
        return new Walk.Stopped(at);
      }
      if (link.get().controller().isEmpty()) {
        return new Walk.Ended(link.get().itself());
      }
      at = link.get().controller().get();
    }
    return new Walk.Ended(at.asOwner()); // a cycle: these references were written by hand
  }

  private Optional<Link> known(FollowedKind kind, String namespace, Controller named) {
    return seen(kind, namespace, named).or(() -> remembered.find(key(namespace, named)));
  }

  /** Returns the object from the watches' caches. */
  private Optional<Link> seen(FollowedKind kind, String namespace, Controller named) {
    return switch (kind) {
      case REPLICA_SET ->
          feed.replicaSet(namespace, named.name())
              .filter(set -> named.uid().equals(set.getMetadata().getUid()))
              .map(set -> new Link(named.asOwner(), controller(set)));
      case POD ->
          feed.pod(namespace, named.name())
              .filter(pod -> named.uid().equals(pod.ref().uid()))
              .map(
                  pod ->
                      Link.of(named, pod.baseName(), pod.controller().map(PodSubject::controller)));
      case JOB -> Optional.empty();
    };
  }

  private static Optional<Controller> controller(ReplicaSet set) {
    return set.getMetadata().getOwnerReferences().stream()
        .filter(reference -> Boolean.TRUE.equals(reference.getController()))
        .map(PodSubject::controller)
        .findFirst();
  }

  /**
   * Returns a key of all fields of a reference, because a reference with other fields for the same
   * UID is not trusted.
   */
  private static String key(String namespace, Controller at) {
    return String.join("\0", namespace, at.kind(), at.name(), at.uid());
  }

  /** Starts to read an object, unless a read is already in progress. */
  private CompletableFuture<Link> ask(String namespace, Controller at) {
    CompletableFuture<Link> answer = new CompletableFuture<>();
    String key = key(namespace, at);
    CompletableFuture<Link> first = underWay.putIfAbsent(key, answer);
    if (first != null) {
      return first;
    }
    CompletableFuture<Optional<Link>> reading;
    try {
      reading = read.apply(namespace, at);
    } catch (RuntimeException e) {
      reading = CompletableFuture.failedFuture(e);
    }
    var _ =
        reading.whenComplete(
            (found, failure) -> {
              if (failure == null) {
                Link link = found.orElseGet(() -> Link.end(at));
                remembered.put(key, link, found.isPresent());
                underWay.remove(key);
                answer.complete(link);
              } else {
                underWay.remove(key);
                answer.completeExceptionally(failure);
              }
            });
    return answer;
  }

  /**
   * Reads the owner for which an answer was derived from its name, with a limit on concurrent
   * reads.
   */
  private void learnLater(String namespace, Controller at, Owner guess) {
    if (mayRead - System.nanoTime() > 0
        || waiting.size() >= MOST_WAITING
        || waiting.contains(key(namespace, at))
        || !LookupAllowance.ofThisThread().take()
        || !waiting.add(key(namespace, at))) {
      return;
    }
    Thread.ofVirtual()
        .name("owner-lookup")
        .start(
            () -> {
              try {
                turns.acquire();
                try {
                  if (learn(namespace, at).isEmpty()
                      && walk(namespace, at) instanceof Walk.Ended(Owner root)
                      && !root.equals(guess)) {
                    corrections.incrementAndGet();
                  }
                } finally {
                  turns.release();
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              } finally {
                waiting.remove(key(namespace, at));
              }
            });
  }

  private void log(String failure) {
    long now = System.nanoTime();
    long from = mayLog.get();
    if (now - from >= 0 && mayLog.compareAndSet(from, now + LOG_EVERY_NANOS)) {
      LOG.warn(
          "The owner of a pod could not be looked up: {}; until it can, rollouts use the names of"
              + " such owners. This is logged at most once a minute",
          failure);
    }
  }
}

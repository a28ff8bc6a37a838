package io.berth.operator.bind;

import io.berth.engine.model.PodRef;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.FairCalls;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The writes of devices to claims that were sent for placements. The devices of a placement that
 * fails must not be given to another pod before the engine knows which of them the claims have:
 * other claims would get them, too.
 */
final class SentClaimWrites {
  private static final Duration LOOK_EVERY = Duration.ofMillis(200);

  private record Claim(String namespace, String name) {}

  /** The writes for one pod. */
  private static final class OfPod {
    final Set<Claim> underWay = new HashSet<>();

    /** The versions that were written. */
    final Map<Claim, String> written = new HashMap<>();

    Optional<Runnable> then = Optional.empty();
  }

  private final ApiCalls api;
  private final FairCalls calls;
  private final KnownClaims known;

  /** By UID. Guarded by this. */
  private final Map<String, OfPod> pods = new HashMap<>();

  /**
   * @param known the claims that the engine knows
   */
  SentClaimWrites(ApiCalls api, FairCalls calls, KnownClaims known) {
    this.api = api;
    this.calls = calls;
    this.known = known;
  }

  /** Records that a write is about to be sent. */
  synchronized void sending(PodRef pod, String claim) {
    pods.computeIfAbsent(pod.uid(), uid -> new OfPod())
        .underWay
        .add(new Claim(pod.namespace(), claim));
  }

  /**
   * Records the answer to a write, which says whether it was executed.
   *
   * @param version the resourceVersion that was written; absent if nothing was
   */
  void answered(PodRef pod, String claim, Optional<String> version) {
    boolean isAwaited;
    synchronized (this) {
      OfPod of = pods.get(pod.uid());
      if (of == null) {
        return;
      }
      Claim answered = new Claim(pod.namespace(), claim);
      of.underWay.remove(answered);
      version.ifPresent(written -> of.written.put(answered, written));
      isAwaited = of.then.isPresent() && of.underWay.isEmpty();
      if (of.then.isEmpty() && of.underWay.isEmpty() && of.written.isEmpty()) {
        pods.remove(pod.uid());
      }
    }
    if (isAwaited) {
      look(pod);
    }
  }

  /**
   * Records that a claim has the devices, perhaps by an earlier write.
   *
   * @param version its resourceVersion
   */
  void found(PodRef pod, String claim, String version) {
    sending(pod, claim);
    answered(pod, claim, Optional.of(version));
  }

  /** Forgets the writes for a pod that is bound. */
  synchronized void forget(PodRef pod) {
    pods.remove(pod.uid());
  }

  /**
   * Runs a task when no write for the pod is under way, and the engine knows of all that were
   * executed; at once if there were none.
   */
  void settle(PodRef pod, Runnable then) {
    boolean wasSent;
    boolean isUnderWay;
    synchronized (this) {
      OfPod of = pods.get(pod.uid());
      wasSent = of != null;
      isUnderWay = of != null && !of.underWay.isEmpty();
      if (of != null) {
        of.then = Optional.of(then);
      }
    }
    if (!wasSent) {
      then.run();
    } else if (!isUnderWay) {
      look(pod);
    }
  }

  /** Runs the task of a pod if the engine knows of all writes, or else looks again later. */
  private void look(PodRef pod) {
    Optional<Runnable> then = Optional.empty();
    List<Claim> unknown = List.of();
    synchronized (this) {
      OfPod of = pods.get(pod.uid());
      if (of == null) {
        return;
      }
      of.written
          .entrySet()
          .removeIf(
              write ->
                  known.isKnown(
                      write.getKey().namespace(), write.getKey().name(), write.getValue()));
      if (of.written.isEmpty()) {
        pods.remove(pod.uid());
        then = of.then;
      } else {
        unknown =
            of.written.keySet().stream()
                .filter(claim -> known.versionOf(claim.namespace(), claim.name()).isEmpty())
                .toList();
      }
    }
    if (then.isPresent()) {
      then.get().run();
      return;
    }
    unknown.forEach(claim -> lookForDeleted(pod, claim));
    api.later(LOOK_EVERY, () -> look(pod));
  }

  /** A claim that the engine does not know is new to it, or was deleted since. */
  private void lookForDeleted(PodRef pod, Claim claim) {
    calls.send(
        claim.namespace(),
        (sent, then) -> sent.get(ClaimWrites.path(claim.namespace(), claim.name()), then),
        answer -> {
          if (answer.code() == HttpURLConnection.HTTP_NOT_FOUND) {
            synchronized (this) {
              OfPod of = pods.get(pod.uid());
              if (of != null) {
                of.written.remove(claim);
              }
            }
          }
        });
  }
}

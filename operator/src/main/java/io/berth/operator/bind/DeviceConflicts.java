package io.berth.operator.bind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.Backoff;
import io.berth.operator.api.FairCalls;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Looks whether another scheduler has given devices of a pod's claims away at the same moment,
 * which the API server permits. Once the engine knows of the writes to the claims, it also knows of
 * all earlier ones by others. So of two schedulers that look in this way, the one that writes later
 * sees both claims before it binds its pod. It takes the pod from its claim, and with the last pod
 * the devices, and the pod is scheduled again. Each attempt at a pod looks at all of its claims,
 * also at those that an earlier attempt has written.
 */
final class DeviceConflicts {
  private static final Backoff LOOK = new Backoff(Duration.ofMillis(4), Duration.ofMillis(200));

  /** The time for which a watch may be late. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The number of times that a claim which others change is read to give way. */
  private static final int ATTEMPTS = 8;

  private final ApiCalls api;
  private final FairCalls calls;
  private final KnownClaims known;
  private final ClaimDeallocations deallocations;

  /**
   * A claim of a pod that has its devices.
   *
   * @param claim the claim as it was written or read
   */
  record Held(JsonNode claim) {
    String name() {
      return claim.path("metadata").path("name").asText();
    }

    String version() {
      return claim.path("metadata").path("resourceVersion").asText();
    }
  }

  DeviceConflicts(
      ApiCalls api, FairCalls calls, KnownClaims known, ClaimDeallocations deallocations) {
    this.api = api;
    this.calls = calls;
    this.known = known;
    this.deallocations = deallocations;
  }

  /**
   * Waits until the engine knows of the claims.
   *
   * @param wanted returns whether the placement is still wanted; if not, neither is called
   * @param ready called if no other claim has their devices
   * @param failed called with the reason otherwise
   */
  void look(
      PodRef pod,
      List<Held> claims,
      BooleanSupplier wanted,
      Runnable ready,
      Consumer<String> failed) {
    look(new Search(pod, claims, wanted, ready, failed, api.nanoTime()), 1);
  }

  private record Search(
      PodRef pod,
      List<Held> claims,
      BooleanSupplier wanted,
      Runnable ready,
      Consumer<String> failed,
      long began) {}

  private void look(Search search, int looking) {
    if (!search.wanted().getAsBoolean()) {
      return;
    }
    String namespace = search.pod().namespace();
    Predicate<Held> isKnown = held -> known.isKnown(namespace, held.name(), held.version());
    Optional<Held> late = search.claims().stream().filter(isKnown.negate()).findFirst();
    if (late.isPresent() && api.nanoTime() - search.began() > PATIENCE.toNanos()) {
      search
          .failed()
          .accept(
              "the watch of resource claims has not shown the devices of %s within %d s"
                  .formatted(late.get().name(), PATIENCE.toSeconds()));
      return;
    }
    if (late.isPresent()) {
      api.later(LOOK.pause(looking, Duration.ZERO, api.random()), () -> look(search, looking + 1));
      return;
    }
    for (Held held : search.claims()) {
      Optional<String> conflict = known.conflictOf(namespace, held.name());
      if (conflict.isPresent()) {
        String reason =
            "another scheduler gave away devices of ResourceClaim %s/%s at the same moment: %s"
                .formatted(namespace, held.name(), conflict.get());
        giveWay(search, held.claim(), reason, 1);
        return;
      }
    }
    search.ready().run();
  }

  private void giveWay(Search search, JsonNode claim, String reason, int attempt) {
    if (!search.wanted().getAsBoolean()) {
      return;
    }
    Optional<ObjectNode> patch = ClaimWrites.withdrawal(search.pod(), claim);
    if (patch.isEmpty()) {
      search.failed().accept(reason);
      return;
    }
    deallocations.send(
        search.pod(),
        claim,
        patch.get(),
        answer -> {
          if (answer.code() == HttpURLConnection.HTTP_CONFLICT && attempt < ATTEMPTS) {
            readAndGiveWay(search, new Held(claim).name(), reason, attempt + 1);
          } else {
            // If the claim keeps the pod, the next attempt at the pod looks again.
            fail(search, reason);
          }
        });
  }

  private void readAndGiveWay(Search search, String name, String reason, int attempt) {
    String namespace = search.pod().namespace();
    calls.send(
        namespace,
        (sent, to) -> sent.get(ClaimWrites.path(namespace, name), to),
        answer -> {
          if (answer.ok()) {
            giveWay(search, answer.json(), reason, attempt);
          } else {
            fail(search, reason);
          }
        });
  }

  private static void fail(Search search, String reason) {
    if (search.wanted().getAsBoolean()) {
      search.failed().accept(reason);
    }
  }
}

package io.berth.operator.bind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.Backoff;
import io.berth.operator.api.FairCalls;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The requests that take a pod, or its devices, from a claim. As long as such a request may be
 * executed, no pod may be bound with the claim: it would lose its devices while it runs. So those
 * who bind pods ask whether one is under way, and a request whose answer is lost is repeated until
 * an answer says that none of its copies can have an effect any more.
 */
public final class ClaimDeallocations {
  private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(5));

  private final ApiCalls api;
  private final UntilKnown requests;

  /** The number of requests by the UID of their claim. */
  private final Map<String, Integer> underWay = new ConcurrentHashMap<>();

  /** Creates an instance for the requests of one leader. */
  public ClaimDeallocations(ApiCalls api) {
    this.api = api;
    this.requests = new UntilKnown(api, new FairCalls(api), BACKOFF, Integer.MAX_VALUE);
  }

  /** Returns whether a request for the claim may still be executed. */
  boolean isUnderWay(JsonNode claim) {
    return underWay.containsKey(uidOf(claim));
  }

  private static String uidOf(JsonNode claim) {
    return claim.path("metadata").path("uid").asText();
  }

  /**
   * Sends a request.
   *
   * @param pod the pod in whose name it is sent
   * @param claim the claim as it was read
   * @param patch a merge patch of the claim's status, for the version that was read
   * @param then receives the answer; not called if this replica is no longer the leader
   */
  void send(PodRef pod, JsonNode claim, ObjectNode patch, Consumer<Answer> then) {
    underWay.merge(uidOf(claim), 1, Integer::sum);
    String path = ClaimWrites.path(pod.namespace(), claim.path("metadata").path("name").asText());
    requests.send(
        pod.namespace(),
        (sent, to) -> sent.patch(path + "/status", ApiCalls.MERGE_PATCH, patch, to),
        (answer, inDoubt) -> {
          if (inDoubt && !answer.wasNotSent() && !isOfAnotherVersion(answer)) {
            api.later(DevicePreparation.EXECUTED_WITHIN, () -> end(claim, answer, then));
          } else {
            end(claim, answer, then);
          }
        });
  }

  /**
   * Returns whether the claim has another version than the one that copies of the request are for,
   * or does not exist any more.
   */
  private static boolean isOfAnotherVersion(Answer answer) {
    return answer.ok()
        || answer.code() == HttpURLConnection.HTTP_CONFLICT
        || answer.code() == HttpURLConnection.HTTP_NOT_FOUND;
  }

  private void end(JsonNode claim, Answer answer, Consumer<Answer> then) {
    underWay.computeIfPresent(uidOf(claim), (uid, count) -> count == 1 ? null : count - 1);
    if (!answer.wasNotSent()) {
      then.accept(answer);
    }
  }
}

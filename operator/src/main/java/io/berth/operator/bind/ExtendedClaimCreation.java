package io.berth.operator.bind;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.api.Decision.Placed;
import io.berth.engine.devices.ClaimAllocation;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.FairCalls;
import java.net.HttpURLConnection;
import java.util.function.Consumer;

/** The creation of the claim for extended resources, which the pod's status then names. */
final class ExtendedClaimCreation {

  /** The preparation of the pod, of which this is a part. */
  interface Surroundings {
    /**
     * Sends a request, and repeats it while the server is overloaded or does not answer.
     *
     * @param attempt the number of the attempt, from 1
     * @param answered receives an answer that says whether the request was executed; a request that
     *     may have been executed before is repeated too
     */
    void send(FairCalls.Request request, int attempt, Consumer<Answer> answered);

    /** Continues with the claim for extended resources, which exists now. */
    void write(ClaimAllocation step, JsonNode created, Runnable then);

    /** Continues with the next claim. */
    void next();

    /** Ends the preparation. */
    void fail(String why);
  }

  private final Surroundings preparation;
  private final Placed placed;
  private final ClaimAllocation step;
  private final String name;

  ExtendedClaimCreation(Surroundings preparation, Placed placed, ClaimAllocation step) {
    this.preparation = preparation;
    this.placed = placed;
    this.step = step;
    this.name = ExtendedClaims.nameFor(placed.pod());
  }

  void start() {
    preparation.send(
        (sent, to) ->
            sent.post(
                ClaimWrites.collection(step.namespace()),
                ExtendedClaims.claim(name, placed.pod(), step),
                to),
        1,
        answer -> {
          if (answer.ok()) {
            created(answer.json());
          } else if (answer.code() == HttpURLConnection.HTTP_CONFLICT) {
            adopt();
          } else {
            preparation.fail(answer.message());
          }
        });
  }

  /** Continues with a claim that an earlier attempt has created, or removes it. */
  private void adopt() {
    preparation.send(
        (sent, to) -> sent.get(ClaimWrites.path(step.namespace(), name), to),
        1,
        answer -> {
          JsonNode claim = answer.json();
          if (!answer.ok()) {
            preparation.fail(answer.message());
          } else if (!ExtendedClaims.isOf(claim, placed.pod())) {
            preparation.fail("ResourceClaim " + name + " exists, and is not of this pod");
          } else if (new ClaimWrites(step, placed.pod(), claim).isComplete()
              || ExtendedClaims.asksFor(claim, step)) {
            created(claim);
          } else {
            remove(claim);
          }
        });
  }

  private void remove(JsonNode claim) {
    String path = ClaimWrites.path(step.namespace(), name);
    preparation.send(
        (sent, to) ->
            sent.patch(path, ApiCalls.MERGE_PATCH, ClaimWrites.withoutFinalizer(claim), to),
        1,
        released ->
            preparation.send(
                (sent, to) -> sent.delete(path, ClaimWrites.deletionOf(claim), to),
                1,
                deleted ->
                    preparation.fail(
                        "an earlier attempt left ResourceClaim %s, which is being deleted"
                            .formatted(name))));
  }

  private void created(JsonNode claim) {
    preparation.write(step, claim, this::nameInPod);
  }

  private void nameInPod() {
    String path = "/api/v1/namespaces/" + step.namespace() + "/pods/" + placed.pod().name();
    preparation.send(
        (sent, to) -> sent.get(path, to),
        1,
        pod -> {
          if (!pod.ok()) {
            preparation.fail(pod.message());
            return;
          }
          JsonNode patch = ExtendedClaims.podStatus(name, placed.pod(), pod.json(), step);
          preparation.send(
              (sent, to) -> sent.patch(path + "/status", ApiCalls.MERGE_PATCH, patch, to),
              1,
              answer -> {
                if (answer.ok()) {
                  preparation.next();
                } else {
                  preparation.fail(answer.message());
                }
              });
        });
  }
}

package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.tenants.ObjectKey;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.policy.GoodRevision;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * The good revisions of policies that a replica stores, as ControllerRevisions of which only the
 * names matter. Called on simulated threads.
 */
record StoredRevisions(SimulatedThreads threads, ApiCalls api)
    implements BiConsumer<String, GoodRevision> {
  private static final String KIND = "ControllerRevision";
  private static final String NAMESPACE = "berth-system";

  /**
   * Stores a revision of a policy.
   *
   * @throws io.fabric8.kubernetes.client.KubernetesClientException if it cannot be stored
   */
  @Override
  public void accept(String policy, GoodRevision revision) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("apiVersion", "apps/v1").put("kind", KIND);
    body.withObject("/metadata")
        .put("namespace", NAMESPACE)
        .put("name", policy + "-" + revision.revision());
    CompletableFuture<Answer> answered = new CompletableFuture<>();
    api.post(
        "/apis/apps/v1/namespaces/" + NAMESPACE + "/controllerrevisions", body, answered::complete);
    Answer answer = threads.await(answered);
    // A conflict means that it was stored by a request whose answer was lost.
    if (!answer.ok() && answer.code() != HttpURLConnection.HTTP_CONFLICT) {
      throw SimulatedReconcilers.failure(answer);
    }
  }

  /** Returns the policies whose latest revision is not stored, at rest. */
  static List<String> missing(List<ObjectNode> objects) {
    Set<ObjectKey> keys = objects.stream().map(ObjectKey::of).collect(Collectors.toSet());
    return objects.stream()
        .filter(object -> ObjectKey.of(object).kind().equals("SchedulingPolicy"))
        .filter(
            policy ->
                !keys.contains(
                    new ObjectKey(
                        KIND,
                        NAMESPACE,
                        ObjectKey.of(policy).name()
                            + "-"
                            + policy.at("/metadata/generation").asText())))
        .map(
            policy ->
                "revision %s of SchedulingPolicy %s is not stored"
                    .formatted(
                        policy.at("/metadata/generation").asText(), ObjectKey.of(policy).name()))
        .toList();
  }
}

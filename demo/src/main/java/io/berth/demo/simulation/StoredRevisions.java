package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Installation;
import io.berth.demo.invariant.EngineSources;
import io.berth.demo.tenants.ObjectKey;
import io.berth.operator.policy.CompleteRevisions;
import io.berth.operator.policy.GoodRevision;
import io.berth.operator.policy.GoodRevisions;
import io.berth.webhook.rollout.SpecHash;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * The complete revisions of policies that a replica stores and reads, as ControllerRevisions. Used
 * on simulated threads.
 */
final class StoredRevisions implements BiConsumer<String, GoodRevision> {
  private final SimulatedThreads threads;
  private final GoodRevisions revisions;
  private final GoodRevisions writer;

  /** The threads that wait until another one has stored a revision. */
  private final Deque<CompletableFuture<Boolean>> waiting = new ArrayDeque<>();

  private boolean busy;

  /**
   * @param writer sends requests only while the replica leads
   */
  StoredRevisions(SimulatedThreads threads, KubernetesClient reader, KubernetesClient writer) {
    this.threads = threads;
    this.revisions = new GoodRevisions(reader, Installation.NAMESPACE);
    this.writer = new GoodRevisions(writer, Installation.NAMESPACE);
  }

  /**
   * Reads the newest revision of each policy; no tenant rolls a config out.
   *
   * @throws io.fabric8.kubernetes.client.KubernetesClientException if they cannot be read
   */
  CompleteRevisions load() {
    return new CompleteRevisions(revisions.load(), List.of());
  }

  /**
   * Stores a revision of a policy. One thread does it at a time, because the code of the product
   * holds a lock meanwhile, on which simulated threads cannot take turns.
   *
   * @throws io.fabric8.kubernetes.client.KubernetesClientException if it cannot be stored
   */
  @Override
  public void accept(String policy, GoodRevision revision) {
    if (busy) {
      CompletableFuture<Boolean> turn = new CompletableFuture<>();
      waiting.add(turn);
      threads.await(turn);
    }
    busy = true;
    try {
      writer.keep(policy, revision);
    } finally {
      busy = !waiting.isEmpty();
      if (busy) {
        waiting.remove().complete(true);
      }
    }
  }

  /**
   * Returns the policies whose last complete revision is not the newest stored one, at rest.
   *
   * @param hashes returns the hash of the spec of a policy's generation
   */
  static List<String> missing(List<ObjectNode> objects, PolicyHistory hashes) {
    Map<String, GoodRevision> stored = EngineSources.stored(objects).policies();
    List<String> missing = new ArrayList<>();
    for (ObjectNode policy : objects) {
      if (!ObjectKey.of(policy).kind().equals("SchedulingPolicy")) {
        continue;
      }
      String name = ObjectKey.of(policy).name();
      String complete = complete(policy);
      Optional<String> newest =
          Optional.ofNullable(stored.get(name))
              .filter(it -> it.revision().equals(complete))
              .filter(it -> it.owner().getUid().equals(policy.at("/metadata/uid").asText()))
              .map(it -> SpecHash.of(it.spec()));
      if (newest.isEmpty() || !newest.equals(hashes.hash(policy, complete))) {
        missing.add(
            "revision %s of SchedulingPolicy %s is not stored, or with another spec; the newest is %s"
                .formatted(
                    complete,
                    name,
                    Optional.ofNullable(stored.get(name)).map(GoodRevision::revision)));
      }
    }
    return missing;
  }

  /** Returns the last complete revision of a policy, whose status is up to date. */
  private static String complete(ObjectNode policy) {
    JsonNode rollout = policy.at("/status/rollout");
    return rollout.path("stableRevision").isTextual()
        ? rollout.path("stableRevision").asText()
        : policy.at("/metadata/generation").asText();
  }
}

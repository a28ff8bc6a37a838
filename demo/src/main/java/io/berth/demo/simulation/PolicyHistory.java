package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.demo.invariant.EngineSources;
import io.berth.demo.simulation.ApiStore.Change;
import io.berth.engine.model.WorkloadHash;
import io.berth.operator.policy.GoodRevision;
import io.berth.webhook.rollout.SpecHash;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * All versions of the tenants' policies, and the revisions that each version lets apply, by the
 * documented rules for changes in steps. Only the two hash functions are those of the product.
 */
final class PolicyHistory {
  private static final int ALL = 100;

  private final KubernetesSerialization serialization = new KubernetesSerialization();
  private final Map<String, Known> byUid = new HashMap<>();
  private final Map<String, Version> byResourceVersion = new HashMap<>();

  /** The generations of one policy. */
  private static final class Known {
    final Map<String, String> hashes = new HashMap<>();

    /** The hash of the last complete spec. */
    String complete = "";

    /** The hash of the newest spec that was stored as complete. */
    String stored = "";

    private long storedRevision;

    void stored(GoodRevision revision) {
      long number = Long.parseLong(revision.revision());
      if (number >= storedRevision) {
        storedRevision = number;
        stored = SpecHash.of(revision.spec());
      }
    }
  }

  /**
   * A version of a policy.
   *
   * @param latest the hash of its spec
   * @param percent the percentage of the workloads to which this spec applies
   * @param others the hashes of the specs of which one applies to the other workloads: there are
   *     two if one was complete that the leader may not have seen, or that no leader has stored
   * @param complete the hash of the last complete spec
   * @param isWithdrawn whether the spec was withdrawn
   */
  record Version(
      String uid,
      String latest,
      int percent,
      Set<String> others,
      String complete,
      boolean isWithdrawn) {

    /** Returns the hashes of the specs of which one applies to a workload. */
    Set<String> applyTo(int workload) {
      return WorkloadHash.isAmong(percent, latest, workload) ? Set.of(latest) : others;
    }

    /** Returns whether it is rolled out, or was withdrawn. */
    boolean isPartial() {
      return percent < ALL;
    }
  }

  PolicyHistory(ApiStore store) {
    store.listen(this::changed);
  }

  private void changed(Change change) {
    if (change.key().kind().equals(EngineSources.REVISIONS) && !change.deleted()) {
      EngineSources.stored(List.of(change.object()))
          .policies()
          .values()
          .forEach(
              revision ->
                  byUid
                      .computeIfAbsent(revision.owner().getUid(), key -> new Known())
                      .stored(revision));
    }
    if (change.key().kind().equals("SchedulingPolicy") && !change.deleted()) {
      ObjectNode policy = change.object();
      String uid = policy.at("/metadata/uid").asText();
      Known known = byUid.computeIfAbsent(uid, key -> new Known());
      Version version = version(policy, known);
      if (!version.isPartial()) {
        known.complete = version.latest();
      }
      byResourceVersion.put(policy.at("/metadata/resourceVersion").asText(), version);
    }
  }

  private Version version(ObjectNode policy, Known known) {
    String generation = policy.at("/metadata/generation").asText();
    String latest =
        known.hashes.computeIfAbsent(
            generation,
            key ->
                SpecHash.of(
                    serialization.convertValue(policy.path("spec"), SchedulingPolicySpec.class)));
    String complete = known.complete.isEmpty() ? latest : known.complete;
    JsonNode status = policy.at("/status/rollout");
    boolean isOfLatest = status.path("specHash").asText().equals(latest);
    boolean isComplete = status.path("phase").asText().equals("Complete");
    Set<String> others = new TreeSet<>();
    if (status.isMissingNode() || status.isNull() || !isOfLatest) {
      others.add(complete);
      if (!known.stored.isEmpty()) {
        others.add(known.stored);
      }
    }
    String other = status.path(isComplete ? "specHash" : "stableSpecHash").asText("");
    if (!other.isEmpty()) {
      others.add(other);
    }
    boolean mayBeLost = !known.stored.isEmpty() && !known.stored.equals(complete);
    boolean isAtOnce =
        policy.at("/spec/rollout/steps").isEmpty()
            || (latest.equals(complete) && !mayBeLost)
            || (isComplete && isOfLatest)
            || (isComplete && status.path("previousSpecHash").asText("").equals(latest));
    return new Version(
        policy.at("/metadata/uid").asText(),
        latest,
        isAtOnce ? ALL : isOfLatest ? status.path("percent").asInt() : 0,
        others,
        complete,
        isOfLatest && !isAtOnce && status.path("phase").asText().equals("Aborted"));
  }

  /** Returns a version of a policy. */
  Optional<Version> version(String resourceVersion) {
    return Optional.ofNullable(byResourceVersion.get(resourceVersion));
  }

  /** Returns the hash of the spec of a policy's generation; empty if it never had it. */
  Optional<String> hash(String uid, String generation) {
    return Optional.ofNullable(byUid.get(uid)).map(known -> known.hashes.get(generation));
  }

  /** Returns the hash of the spec of a policy's generation; empty if it never had it. */
  Optional<String> hash(JsonNode policy, String generation) {
    return hash(policy.at("/metadata/uid").asText(), generation);
  }
}

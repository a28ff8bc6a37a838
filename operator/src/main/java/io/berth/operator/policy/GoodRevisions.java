package io.berth.operator.policy;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.webhook.rollout.SpecHash;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The last complete revision of each policy, which compiled, stored so that a policy that was
 * broken or is rolled out while Berth was not running still has that revision to serve; and the one
 * before it. They contain no private keys.
 */
public final class GoodRevisions {

  static final String LABEL = "sched.cloud.ctrip.com/last-good-policy";
  static final String POLICY_ANNOTATION = "sched.cloud.ctrip.com/policy-name";

  private final RevisionObjects objects;

  public GoodRevisions(KubernetesClient client, String namespace) {
    this.objects = new RevisionObjects(client, namespace, LABEL, POLICY_ANNOTATION, "policy");
  }

  /** Loads the newest stored revision of each policy, by the policy's name. */
  public Map<String, GoodRevision> load() {
    return read(objects.newest());
  }

  /**
   * Returns the newest revision of each policy, by the policy's name.
   *
   * @param stored all ControllerRevisions of the operator's namespace
   */
  public static Map<String, GoodRevision> in(List<ControllerRevision> stored) {
    List<ControllerRevision> ofPolicies =
        stored.stream()
            .filter(it -> it.getMetadata().getLabels() != null)
            .filter(it -> it.getMetadata().getLabels().containsKey(LABEL))
            .toList();
    return read(RevisionObjects.newest(ofPolicies, POLICY_ANNOTATION));
  }

  private static Map<String, GoodRevision> read(Map<String, ControllerRevision> newest) {
    Map<String, GoodRevision> good = new HashMap<>();
    newest.forEach(
        (policy, kept) ->
            spec(kept)
                .ifPresent(
                    spec ->
                        good.put(
                            policy,
                            new GoodRevision(
                                RevisionObjects.revision(kept),
                                spec,
                                RevisionObjects.owner(kept).orElseThrow()))));
    return good;
  }

  /** Stores a complete revision. */
  public void keep(String policy, GoodRevision good) {
    objects.keep(
        new RevisionObjects.Revision(
            policy,
            good.revision(),
            StoredSpecs.of(good.spec()),
            SpecHash.of(good.spec()),
            good.owner()),
        kept -> StoredSpecs.holdKey(kept) ? Optional.empty() : spec(kept).map(SpecHash::of));
  }

  private static Optional<SchedulingPolicySpec> spec(ControllerRevision kept) {
    return RevisionObjects.spec(kept, SchedulingPolicySpec.class, "policy");
  }
}

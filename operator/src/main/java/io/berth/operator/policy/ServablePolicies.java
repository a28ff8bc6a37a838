package io.berth.operator.policy;

import io.berth.crds.SchedulingPolicy;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.webhook.binding.PolicyServing;
import io.berth.webhook.error.Problem;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The policies that can be served, for the webhook of every replica: those that compile, and those
 * that compiled earlier. A replica knows the latter from its own observations, from the status that
 * the leader writes, and from the stored revisions. Until it has read the stored revisions, it
 * assumes that every policy has a good revision, so that no pod is created without its policy while
 * Berth starts.
 */
public final class ServablePolicies implements PolicyServing {

  private final PolicyCompiler compiler = new PolicyCompiler();

  /**
   * UIDs of policies with at least one revision that compiled; grows with the number of policies.
   */
  private final Set<String> good = ConcurrentHashMap.newKeySet();

  private volatile boolean hasReadKept;

  @Override
  public Optional<Problem> flaw(HasMetadata policy) {
    PolicySource source =
        switch (policy) {
          case SchedulingPolicy ours -> PolicySources.of(ours);
          case ConfigMap legacy -> PolicySources.of(legacy);
          default -> throw new IllegalArgumentException("objects of kind " + policy.getKind());
        };
    Optional<Problem> flaw = CompiledSource.of(source, compiler).problems().stream().findFirst();
    String uid = policy.getMetadata().getUid();
    if (uid != null && (flaw.isEmpty() || servesByStatus(policy))) {
      good.add(uid);
    }
    return flaw;
  }

  @Override
  public boolean hasLastGood(String uid) {
    return !hasReadKept || good.contains(uid);
  }

  /** Adds the stored revisions of all policies. */
  public void kept(Map<String, GoodRevision> revisions) {
    revisions.values().forEach(revision -> good.add(revision.owner().getUid()));
    hasReadKept = true;
  }

  private static boolean servesByStatus(HasMetadata policy) {
    return policy instanceof SchedulingPolicy ours
        && ours.getStatus() != null
        && ours.getStatus().servingRevision() != null;
  }
}

package io.berth.operator.policy;

import io.berth.crds.ConfigStatus;
import io.berth.crds.SchedulingPolicy;
import io.berth.webhook.rollout.SpecRevision;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The stored complete revisions of policies and configs.
 *
 * @param policies the revisions by the policy's name
 * @param configs the configs with the spec and generation of the revision
 */
public record CompleteRevisions(
    Map<String, GoodRevision> policies, List<CustomResource<?, ConfigStatus>> configs) {

  /** Returns all revisions as objects, with the name and UID of the current ones. */
  public List<CustomResource<?, ?>> objects() {
    List<CustomResource<?, ?>> objects = new ArrayList<>(configs);
    policies.forEach(
        (name, good) -> {
          SchedulingPolicy policy = new SchedulingPolicy();
          policy.setMetadata(
              new ObjectMetaBuilder()
                  .withName(name)
                  .withUid(good.owner().getUid())
                  .withGeneration(SpecRevision.generation(good.revision()))
                  .build());
          policy.setSpec(good.spec());
          objects.add(policy);
        });
    return objects;
  }
}

package io.berth.operator.policy;

import io.berth.crds.SchedulingPolicySpec;
import io.fabric8.kubernetes.api.model.OwnerReference;

/**
 * A revision of a policy that once compiled.
 *
 * @param owner the object that it was written in; the cluster forgets the revision with it
 */
public record GoodRevision(String revision, SchedulingPolicySpec spec, OwnerReference owner) {}

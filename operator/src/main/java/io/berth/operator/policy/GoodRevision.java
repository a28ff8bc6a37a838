package io.berth.operator.policy;

import io.berth.crds.SchedulingPolicySpec;
import io.fabric8.kubernetes.api.model.OwnerReference;

/**
 * A revision of a policy that compiled.
 *
 * @param revision the revision's name
 * @param spec the policy's spec
 * @param owner the object that contains the policy; the stored revision is garbage collected with
 *     it
 */
public record GoodRevision(String revision, SchedulingPolicySpec spec, OwnerReference owner) {}

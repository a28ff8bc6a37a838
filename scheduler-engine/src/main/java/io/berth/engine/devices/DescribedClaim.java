package io.berth.engine.devices;

import io.berth.engine.model.PodClaim;

/**
 * The description of a claim that one pod alone uses and that has no devices yet. Pods that differ
 * only in the names of such claims are equal in this form.
 */
public record DescribedClaim(ClaimSpec spec) implements PodClaim {}

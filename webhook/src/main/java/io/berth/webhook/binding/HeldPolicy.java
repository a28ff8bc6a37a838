package io.berth.webhook.binding;

import java.util.Optional;

/**
 * A policy that a pod cannot be taken away from by its annotations.
 *
 * @param binding the binding that decides it, which has {@code podOverrides: Deny}
 * @param policy the policy; empty where the binding wants none
 */
public record HeldPolicy(BindingKey binding, Optional<String> policy) {}

package io.berth.webhook.binding;

import java.util.Optional;

/**
 * A policy of a pod that its annotations cannot change.
 *
 * @param binding the binding that decides it, which has {@code podOverrides: Deny}
 * @param policy the policy; empty if the binding sets none
 */
public record HeldPolicy(BindingKey binding, Optional<String> policy) {}

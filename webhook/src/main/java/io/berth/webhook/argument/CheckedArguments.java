package io.berth.webhook.argument;

/**
 * The result of checking arguments against parameters: usable {@link Arguments}, or their problems.
 */
public sealed interface CheckedArguments permits Arguments, RefusedArguments {}

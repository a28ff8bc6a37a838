package io.berth.webhook.argument;

/**
 * What comes of checking arguments against parameters: usable {@link Arguments}, or what is wrong
 * with them.
 */
public sealed interface CheckedArguments permits Arguments, RefusedArguments {}

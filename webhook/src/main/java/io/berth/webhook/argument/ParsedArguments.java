package io.berth.webhook.argument;

/**
 * The result of parsing an annotation of arguments: the {@link GivenArguments} of each config, or
 * the problems.
 */
public sealed interface ParsedArguments permits ArgumentsByConfig, RefusedArguments {}

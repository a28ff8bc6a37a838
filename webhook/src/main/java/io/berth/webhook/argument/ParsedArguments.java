package io.berth.webhook.argument;

/**
 * What comes of parsing an annotation of arguments: the {@link GivenArguments} of each config, or
 * what is wrong.
 */
public sealed interface ParsedArguments permits ArgumentsByConfig, RefusedArguments {}

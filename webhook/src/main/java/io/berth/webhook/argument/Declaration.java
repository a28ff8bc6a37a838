package io.berth.webhook.argument;

/**
 * The result of reading the parameters that a config declares: {@link Parameters}, or their
 * problems.
 */
public sealed interface Declaration permits Parameters, InvalidDeclaration {}

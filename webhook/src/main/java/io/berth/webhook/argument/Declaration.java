package io.berth.webhook.argument;

/**
 * What comes of reading the parameters that a config declares: {@link Parameters}, or what is wrong
 * with them.
 */
public sealed interface Declaration permits Parameters, InvalidDeclaration {}

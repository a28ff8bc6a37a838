package io.berth.webhook.argument;

/** The result of reading an annotation of config names: {@link NamedConfigs}, or its problems. */
public sealed interface ConfigNames permits NamedConfigs, RefusedArguments {}

package io.berth.webhook.argument;

/** What comes of reading an annotation of config names: {@link NamedConfigs}, or what is wrong. */
public sealed interface ConfigNames permits NamedConfigs, RefusedArguments {}

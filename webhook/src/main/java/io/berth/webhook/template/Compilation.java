package io.berth.webhook.template;

/**
 * What comes of compiling a config's spec: a {@link CompiledTemplate}, or what is wrong with it.
 */
public sealed interface Compilation permits CompiledTemplate, InvalidTemplate {}

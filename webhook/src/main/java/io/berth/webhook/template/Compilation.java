package io.berth.webhook.template;

/** The result of compiling a config's spec: a {@link CompiledTemplate}, or its problems. */
public sealed interface Compilation permits CompiledTemplate, InvalidTemplate {}

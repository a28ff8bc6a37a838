package io.berth.engine;

/** What {@link Engine#next} answers. */
public sealed interface Outcome permits Consult, Decision, Idle {}

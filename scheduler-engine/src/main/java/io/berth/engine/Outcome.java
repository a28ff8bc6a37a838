package io.berth.engine;

/** What {@link Engine#next} found to do. */
public sealed interface Outcome permits Decision, Idle {}

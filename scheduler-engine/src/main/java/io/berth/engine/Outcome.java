package io.berth.engine;

/** The result of {@link Engine#next}. */
public sealed interface Outcome permits AdviceRequest, Decision, Idle {}

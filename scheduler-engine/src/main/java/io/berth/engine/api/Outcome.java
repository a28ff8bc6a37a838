package io.berth.engine.api;

/** The result of {@code Engine.next}. */
public sealed interface Outcome permits AdviceRequest, Decision, Idle {}

package io.berth.engine.api;

import io.berth.engine.time.Due;

/**
 * No pod can be tried now.
 *
 * @param until the time of the next call if no event comes before: at once if an attempt continues
 *     after the events that have arrived, never if no timer is running
 */
public record Idle(Due until) implements Outcome {}

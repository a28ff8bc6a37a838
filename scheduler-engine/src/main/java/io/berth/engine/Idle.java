package io.berth.engine;

import java.time.Instant;

/**
 * No pod can be tried now.
 *
 * @param until when to ask again though nothing happens; {@link Instant#MIN} where an attempt goes
 *     on at once, after the events that have come; {@link Instant#MAX} where nothing timed is
 *     waiting
 */
public record Idle(Instant until) implements Outcome {}

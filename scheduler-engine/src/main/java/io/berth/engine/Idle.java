package io.berth.engine;

import java.time.Instant;

/**
 * No pod can be tried now.
 *
 * @param until the time of the next call if no event comes before; {@link Instant#MIN} if an
 *     attempt continues at once, after the events that have arrived; {@link Instant#MAX} if no
 *     timer is running
 */
public record Idle(Instant until) implements Outcome {}

package io.berth.operator.schedule;

import io.berth.engine.Refusal;
import java.time.Instant;
import java.util.Optional;

/**
 * The engine took an event in.
 *
 * @param at when
 * @param refusal why its object was refused, if it was
 */
public record Taken(Instant at, Optional<Refusal> refusal) {}

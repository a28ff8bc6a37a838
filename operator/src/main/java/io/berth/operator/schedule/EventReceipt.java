package io.berth.operator.schedule;

import io.berth.engine.Refusal;
import java.time.Instant;
import java.util.Optional;

/**
 * The confirmation that the engine has applied an event.
 *
 * @param at the time at which it was applied
 * @param refusal the reason for which its object was refused, if it was
 */
public record EventReceipt(Instant at, Optional<Refusal> refusal) {}

package io.berth.operator.feed;

import io.berth.engine.api.Refusal;
import java.time.Instant;
import java.util.Optional;

/**
 * The confirmation that the engine has processed an event.
 *
 * @param at the time at which it was processed
 * @param refusal the reason why its object was rejected, if it was
 */
public record EventReceipt(Instant at, Optional<Refusal> refusal) {}

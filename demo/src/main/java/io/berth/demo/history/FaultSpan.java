package io.berth.demo.history;

import java.time.Instant;

/**
 * The period of a fault.
 *
 * @param what description of the fault and its target
 */
public record FaultSpan(String what, Instant began, Instant ended) {}

package io.berth.demo.history;

import java.time.Instant;

/**
 * A time in which something was disturbed.
 *
 * @param what the fault and whom it hit
 */
public record FaultSpan(String what, Instant began, Instant ended) {}

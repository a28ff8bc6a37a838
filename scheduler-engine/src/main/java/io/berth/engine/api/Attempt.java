package io.berth.engine.api;

import java.time.Instant;

/**
 * The scheduling attempt that a decision ended.
 *
 * @param number the attempt's number, from 1
 * @param firstActive when the pod first became schedulable: when it was first seen, or when its
 *     last scheduling gate was removed
 */
public record Attempt(int number, Instant firstActive) {}

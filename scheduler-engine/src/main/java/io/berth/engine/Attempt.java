package io.berth.engine;

import java.time.Instant;

/**
 * The scheduling attempt of a pod that a decision ended.
 *
 * @param number from 1
 * @param firstActive when the pod could be tried for the first time: when it was first seen, or its
 *     last scheduling gate opened
 */
public record Attempt(int number, Instant firstActive) {}

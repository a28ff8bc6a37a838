package io.berth.operator.recording;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The result of a replay.
 *
 * @param files the number of files
 * @param events the number of events that the engine was given
 * @param decisions the number of its decisions
 * @param from the time of the first step; empty if there is none
 * @param to the time of the last step; empty if there is none
 * @param isCutOff whether a file ends in the middle of a step, because the process was killed
 * @param difference the first decision that differs from the recording
 * @param policies the comparisons with the policies that were tried, by name
 */
public record ReplayReport(
    int files,
    long events,
    long decisions,
    Optional<Instant> from,
    Optional<Instant> to,
    boolean isCutOff,
    Optional<Replay.Difference> difference,
    Map<String, PolicyComparison> policies) {}

/**
 * The quality of policies, measured with simulated streams of pods that the real engine schedules.
 */
@NullMarked
package io.berth.benchmarks.quality;

import org.jspecify.annotations.NullMarked;

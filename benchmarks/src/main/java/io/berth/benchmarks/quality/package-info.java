/** Quality of policies: simulated streams of pods, decided by the real engine. */
@NullMarked
package io.berth.benchmarks.quality;

import org.jspecify.annotations.NullMarked;

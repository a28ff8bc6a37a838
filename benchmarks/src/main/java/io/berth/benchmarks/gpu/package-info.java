/** Replays of GPU traces: how much of a cluster's GPU a policy can allocate. */
@NullMarked
package io.berth.benchmarks.gpu;

import org.jspecify.annotations.NullMarked;

/**
 * Replays of GPU traces, which measure the share of a cluster's GPU capacity that a policy can
 * allocate.
 */
@NullMarked
package io.berth.benchmarks.gpu;

import org.jspecify.annotations.NullMarked;

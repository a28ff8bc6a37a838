/**
 * Comparison with kube-scheduler: recorded clusters and results, checked against the engine's
 * ordinary scheduling cycle.
 */
@NullMarked
package io.berth.benchmarks.conformance;

import org.jspecify.annotations.NullMarked;

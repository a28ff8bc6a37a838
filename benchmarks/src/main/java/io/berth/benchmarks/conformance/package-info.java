/**
 * Comparison with kube-scheduler: recorded clusters with its answers, put to an engine through its
 * ordinary cycle.
 */
@NullMarked
package io.berth.benchmarks.conformance;

import org.jspecify.annotations.NullMarked;

/** Tests against recorded results of kube-scheduler. */
@NullMarked
package io.berth.benchmarks.conformance;

import org.jspecify.annotations.NullMarked;

/** Tests against kube-scheduler's recorded answers. */
@NullMarked
package io.berth.benchmarks.conformance;

import org.jspecify.annotations.NullMarked;

/** The workloads by which the engine's speed is measured, and the measuring. */
@NullMarked
package io.berth.benchmarks.workload;

import org.jspecify.annotations.NullMarked;

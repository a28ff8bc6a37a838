/** The workloads with which the engine's performance is measured, and their measurement. */
@NullMarked
package io.berth.benchmarks.workload;

import org.jspecify.annotations.NullMarked;

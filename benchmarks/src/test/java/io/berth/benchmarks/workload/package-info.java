@NullMarked
package io.berth.benchmarks.workload;

import org.jspecify.annotations.NullMarked;

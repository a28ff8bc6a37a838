/** Tests with the pods that controllers of workloads create. */
@NullMarked
package io.berth.demo.workload;

import org.jspecify.annotations.NullMarked;

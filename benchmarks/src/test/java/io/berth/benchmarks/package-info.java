/** Tests of the benchmarks' commands. */
@NullMarked
package io.berth.benchmarks;

import org.jspecify.annotations.NullMarked;

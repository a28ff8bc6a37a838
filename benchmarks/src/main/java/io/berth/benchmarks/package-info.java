@NullMarked
package io.berth.benchmarks;

import org.jspecify.annotations.NullMarked;

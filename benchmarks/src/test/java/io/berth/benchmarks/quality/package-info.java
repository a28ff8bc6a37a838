@NullMarked
package io.berth.benchmarks.quality;

import org.jspecify.annotations.NullMarked;

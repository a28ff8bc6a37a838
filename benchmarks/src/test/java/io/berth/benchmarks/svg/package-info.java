@NullMarked
package io.berth.benchmarks.svg;

import org.jspecify.annotations.NullMarked;

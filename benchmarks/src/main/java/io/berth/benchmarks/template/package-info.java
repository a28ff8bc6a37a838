/** Benchmarks of compiling and rendering templates. */
@NullMarked
package io.berth.benchmarks.template;

import org.jspecify.annotations.NullMarked;

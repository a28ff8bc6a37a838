/** Benchmarks of templates, at apply time and when they are rendered. */
@NullMarked
package io.berth.benchmarks.template;

import org.jspecify.annotations.NullMarked;

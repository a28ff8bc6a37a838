/** What templates cost, when they are applied and when they are rendered. */
@NullMarked
package io.berth.benchmarks.template;

import org.jspecify.annotations.NullMarked;

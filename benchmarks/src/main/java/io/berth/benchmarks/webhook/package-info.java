/** Benchmarks of webhook reviews. */
@NullMarked
package io.berth.benchmarks.webhook;

import org.jspecify.annotations.NullMarked;

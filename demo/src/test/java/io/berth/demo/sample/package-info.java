/** Execution of the samples and guides as documented. */
@NullMarked
package io.berth.demo.sample;

import org.jspecify.annotations.NullMarked;

/** Tests of preemption. */
@NullMarked
package io.berth.engine.preemption;

import org.jspecify.annotations.NullMarked;

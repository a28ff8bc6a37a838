/** Answers what-if questions on a mirror of the engine, beside the engine that schedules. */
@NullMarked
package io.berth.operator.whatif;

import org.jspecify.annotations.NullMarked;

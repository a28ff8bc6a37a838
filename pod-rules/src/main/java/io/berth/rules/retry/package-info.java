/** The pauses between repetitions of what fails. */
@NullMarked
package io.berth.rules.retry;

import org.jspecify.annotations.NullMarked;

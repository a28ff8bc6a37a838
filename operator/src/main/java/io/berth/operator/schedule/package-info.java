/** The thread that owns the engine, and its mailbox. */
@NullMarked
package io.berth.operator.schedule;

import org.jspecify.annotations.NullMarked;

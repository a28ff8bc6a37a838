/** Runs the engine on its own thread, with a mailbox for its messages. */
@NullMarked
package io.berth.operator.schedule;

import org.jspecify.annotations.NullMarked;

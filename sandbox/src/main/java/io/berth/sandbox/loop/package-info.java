/** The parts of control loops: feeds from the store, work queues, writers, events. */
@NullMarked
package io.berth.sandbox.loop;

import org.jspecify.annotations.NullMarked;

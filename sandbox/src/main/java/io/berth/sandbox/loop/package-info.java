/** Building blocks of control loops: store feeds, work queues, writers, and event recorders. */
@NullMarked
package io.berth.sandbox.loop;

import org.jspecify.annotations.NullMarked;

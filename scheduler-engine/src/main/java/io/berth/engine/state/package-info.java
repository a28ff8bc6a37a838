/** The cluster in columns: node slots, what is requested of them, and what has changed. */
@NullMarked
package io.berth.engine.state;

import org.jspecify.annotations.NullMarked;

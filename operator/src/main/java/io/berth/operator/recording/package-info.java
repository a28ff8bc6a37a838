/** Recordings of what an engine was fed and what it decided, and their replay. */
@NullMarked
package io.berth.operator.recording;

import org.jspecify.annotations.NullMarked;

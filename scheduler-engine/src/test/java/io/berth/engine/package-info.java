/** Tests of the engine as a whole: events in, decisions out. */
@NullMarked
package io.berth.engine;

import org.jspecify.annotations.NullMarked;

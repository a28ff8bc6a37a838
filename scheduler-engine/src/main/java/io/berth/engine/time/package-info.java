/** Points in time at which the engine has something to do. */
@NullMarked
package io.berth.engine.time;

import org.jspecify.annotations.NullMarked;

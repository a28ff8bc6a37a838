/** One attempt to place one pod: filter, score, choose. */
@NullMarked
package io.berth.engine.cycle;

import org.jspecify.annotations.NullMarked;

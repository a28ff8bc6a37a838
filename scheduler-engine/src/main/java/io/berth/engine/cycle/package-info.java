/** One attempt to place one pod: filter, score, select. */
@NullMarked
package io.berth.engine.cycle;

import org.jspecify.annotations.NullMarked;

/** Facts that may be taken back: savepoints, and what was done since. */
@NullMarked
package io.berth.engine.journal;

import org.jspecify.annotations.NullMarked;

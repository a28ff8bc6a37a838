/** Changes that can be undone: savepoints, and the changes since each. */
@NullMarked
package io.berth.engine.journal;

import org.jspecify.annotations.NullMarked;

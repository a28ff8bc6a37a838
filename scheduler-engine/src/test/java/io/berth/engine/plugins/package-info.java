/** Tables of what each plugin says, which read as its specification. */
@NullMarked
package io.berth.engine.plugins;

import org.jspecify.annotations.NullMarked;

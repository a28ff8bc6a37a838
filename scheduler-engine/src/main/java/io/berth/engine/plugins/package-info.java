/** The scheduling algorithms, one per file, with their user-visible names. */
@NullMarked
package io.berth.engine.plugins;

import org.jspecify.annotations.NullMarked;

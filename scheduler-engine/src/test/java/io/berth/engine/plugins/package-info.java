/** Tables with the results of each plugin, which serve as its specification. */
@NullMarked
package io.berth.engine.plugins;

import org.jspecify.annotations.NullMarked;

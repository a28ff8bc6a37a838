/** The scheduling algorithms, one a file, named as users name them. */
@NullMarked
package io.berth.engine.plugins;

import org.jspecify.annotations.NullMarked;

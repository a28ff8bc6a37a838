/** Tests of volumes. */
@NullMarked
package io.berth.engine.volume;

import org.jspecify.annotations.NullMarked;

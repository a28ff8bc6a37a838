/** Tests of what-if questions. */
@NullMarked
package io.berth.engine.whatif;

import org.jspecify.annotations.NullMarked;

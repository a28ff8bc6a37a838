/** Tests of what-if questions. */
@NullMarked
package io.berth.operator.whatif;

import org.jspecify.annotations.NullMarked;

/**
 * Answers what-if questions on an engine of their own, a mirror, which decides nothing else: where
 * pods would go, what keeps them from being placed, and what would help.
 */
@NullMarked
package io.berth.engine.whatif;

import org.jspecify.annotations.NullMarked;

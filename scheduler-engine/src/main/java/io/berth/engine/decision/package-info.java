/** Records of decisions: numbers are kept, and messages are rendered on demand. */
@NullMarked
package io.berth.engine.decision;

import org.jspecify.annotations.NullMarked;

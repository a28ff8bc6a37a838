/** Carries out the engine's decisions at the API server: bindings, evictions, and pod status. */
@NullMarked
package io.berth.operator.bind;

import org.jspecify.annotations.NullMarked;

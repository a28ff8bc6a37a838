/** API discovery, in the aggregated and the unaggregated format. */
@NullMarked
package io.berth.sandbox.discovery;

import org.jspecify.annotations.NullMarked;

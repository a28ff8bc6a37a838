/** API discovery, in the aggregated and in the older form. */
@NullMarked
package io.berth.sandbox.discovery;

import org.jspecify.annotations.NullMarked;

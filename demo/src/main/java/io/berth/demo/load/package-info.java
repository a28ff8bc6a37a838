/** Load on an API server and its measurement, for {@code make bench-e2e}. */
@NullMarked
package io.berth.demo.load;

import org.jspecify.annotations.NullMarked;

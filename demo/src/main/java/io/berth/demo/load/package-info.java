/** Load on an API server, and what became of it: the measuring side of {@code make bench-e2e}. */
@NullMarked
package io.berth.demo.load;

import org.jspecify.annotations.NullMarked;

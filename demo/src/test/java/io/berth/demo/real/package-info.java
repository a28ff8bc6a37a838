/** The story on real API servers: {@code make test-real}. */
@NullMarked
package io.berth.demo.real;

import org.jspecify.annotations.NullMarked;

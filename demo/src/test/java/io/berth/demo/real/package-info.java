/** Tests on real API servers, run by {@code make test-real}. */
@NullMarked
package io.berth.demo.real;

import org.jspecify.annotations.NullMarked;

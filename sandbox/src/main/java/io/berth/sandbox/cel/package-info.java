/** The Common Expression Language as the API server offers it: its options and its libraries. */
@NullMarked
package io.berth.sandbox.cel;

import org.jspecify.annotations.NullMarked;

/** The Common Expression Language (CEL) as the API server configures it: options and libraries. */
@NullMarked
package io.berth.sandbox.cel;

import org.jspecify.annotations.NullMarked;

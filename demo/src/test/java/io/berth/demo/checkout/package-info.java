/** Checks of the source tree: formatting, names, documentation, and build scripts. */
@NullMarked
package io.berth.demo.checkout;

import org.jspecify.annotations.NullMarked;

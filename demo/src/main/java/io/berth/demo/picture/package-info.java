/** Pictures for the documentation, drawn from a running Berth. */
@NullMarked
package io.berth.demo.picture;

import org.jspecify.annotations.NullMarked;

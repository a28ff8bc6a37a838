/** Pictures for the documentation, generated from a running Berth. */
@NullMarked
package io.berth.demo.picture;

import org.jspecify.annotations.NullMarked;

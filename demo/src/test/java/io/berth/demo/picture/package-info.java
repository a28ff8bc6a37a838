/** Checks that the pictures in the documentation match the product. */
@NullMarked
package io.berth.demo.picture;

import org.jspecify.annotations.NullMarked;

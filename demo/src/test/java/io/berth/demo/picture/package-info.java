/** The documentation's pictures are those that the product gives. */
@NullMarked
package io.berth.demo.picture;

import org.jspecify.annotations.NullMarked;

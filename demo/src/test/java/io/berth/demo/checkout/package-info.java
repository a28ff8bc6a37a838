/** Promises of a checkout to those who build it. */
@NullMarked
package io.berth.demo.checkout;

import org.jspecify.annotations.NullMarked;

/** Composes the embedded cluster and the operator: to try Berth, to show it, to test it whole. */
@NullMarked
package io.berth.demo;

import org.jspecify.annotations.NullMarked;

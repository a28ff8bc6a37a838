/**
 * Combines the embedded cluster and the operator to try, demonstrate, and test Berth end to end.
 */
@NullMarked
package io.berth.demo;

import org.jspecify.annotations.NullMarked;

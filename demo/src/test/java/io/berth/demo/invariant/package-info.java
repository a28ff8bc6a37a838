@NullMarked
package io.berth.demo.invariant;

import org.jspecify.annotations.NullMarked;

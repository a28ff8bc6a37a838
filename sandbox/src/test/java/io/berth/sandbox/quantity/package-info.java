@NullMarked
package io.berth.sandbox.quantity;

import org.jspecify.annotations.NullMarked;

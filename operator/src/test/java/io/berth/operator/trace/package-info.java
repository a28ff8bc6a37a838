@NullMarked
package io.berth.operator.trace;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.berth.operator.gpu;

import org.jspecify.annotations.NullMarked;

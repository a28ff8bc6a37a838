@NullMarked
package io.berth.operator;

import org.jspecify.annotations.NullMarked;

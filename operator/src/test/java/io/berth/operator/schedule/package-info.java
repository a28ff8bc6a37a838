@NullMarked
package io.berth.operator.schedule;

import org.jspecify.annotations.NullMarked;

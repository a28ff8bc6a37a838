@NullMarked
package io.berth.operator.recording;

import org.jspecify.annotations.NullMarked;

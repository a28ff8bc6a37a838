/** Writes the status of the objects that describe groups of pods. */
@NullMarked
package io.berth.operator.group;

import org.jspecify.annotations.NullMarked;

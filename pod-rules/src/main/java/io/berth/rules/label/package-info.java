/** Conditions on labels, and access that depends on them. */
@NullMarked
package io.berth.rules.label;

import org.jspecify.annotations.NullMarked;

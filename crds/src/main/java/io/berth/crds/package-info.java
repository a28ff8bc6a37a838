/** Berth's four resource kinds, and the annotation, label and scheduler names users write. */
@NullMarked
package io.berth.crds;

import org.jspecify.annotations.NullMarked;

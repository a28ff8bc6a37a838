/** The four resource kinds of Berth, and its annotation, label, and scheduler names. */
@NullMarked
package io.berth.crds;

import org.jspecify.annotations.NullMarked;

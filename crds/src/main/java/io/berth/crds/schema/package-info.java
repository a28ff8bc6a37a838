/** Annotations and building blocks that all resource types share. */
@NullMarked
package io.berth.crds.schema;

import org.jspecify.annotations.NullMarked;
